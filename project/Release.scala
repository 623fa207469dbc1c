// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/**
 * What Maven Central asks of an artifact beside its jar. Who publishes says where the sources are and who the developers
 * are: `-Drelease.url=https://...` and `-Drelease.developers="id|name|email|url;id|..."`.
 */
object Release {
  private val home: String = sys.props.getOrElse("release.url", "https://example.org/spark-zorder")

  private val people: List[Developer] = sys.props
    .getOrElse("release.developers", "publisher|The publisher|publisher@example.org|https://example.org")
    .split(";").toList.map { person =>
      person.split('|') match {
        case Array(id, name, email, page) => Developer(id.trim, name.trim, email.trim, url(page.trim))
        case _ => sys.error(s"release.developers: '$person' is not id|name|email|url")
      }
    }

  val settings: Seq[Setting[_]] = Seq(
    description := "Z-order clustering for Spark tables: OPTIMIZE ... ZORDER BY, order on write, data skipping",
    homepage := Some(url(home)),
    organizationName := "spark-zorder",
    organizationHomepage := Some(url(home)),
    startYear := Some(2026),
    scmInfo := Some(ScmInfo(url(home), s"scm:git:$home.git")),
    developers := people,
    publishMavenStyle := true,
    pomIncludeRepository := (_ => false),
    // A folder that serves as a repository of Maven.
    publishTo := Some(MavenCache("release", (ThisBuild / baseDirectory).value / ".build" / "release" / "maven")),
    publishConfiguration := publishConfiguration.value.withOverwrite(true),
    publishM2Configuration := publishM2Configuration.value.withOverwrite(true)
  )

  /** ANTLR writes the place of the grammar on this machine into the first line; the artifact of sources would have it. */
  def withoutPath(source: File): File = {
    val text = IO.read(source)
    val stripped = text.replaceFirst("""^(// Generated from )\S*/(\S+\.g4 )""", "$1$2")
    if (stripped != text) IO.write(source, stripped)
    source
  }
}
