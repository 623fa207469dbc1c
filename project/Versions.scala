// SPDX-License-Identifier: Apache-2.0
import java.io.FileInputStream
import java.util.Properties

/** The versions of `project/versions.properties`, by their keys. */
object Versions {
  private val entries: Properties = {
    val p = new Properties()
    val in = new FileInputStream("project/versions.properties")
    try p.load(in)
    finally in.close()
    p
  }

  def apply(key: String): String =
    Option(entries.getProperty(key))
      .getOrElse(sys.error(s"project/versions.properties has no '$key'"))
}
