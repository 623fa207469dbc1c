// SPDX-License-Identifier: Apache-2.0
import sbt._

/**
 * Which Spark is compiled against: `-Dspark.minor=4.1`, or else the default. One list of all stands in
 * `versions.properties`.
 */
object CrossSpark {
  private val default: String = Versions("spark.minor")

  /** All minors that there is a jar for, oldest first. */
  val minors: Seq[String] = Versions("spark.minors").split(" ").toSeq

  /** The minor of this build. */
  val minor: String = sys.props.getOrElse("spark.minor", default)

  if (!minors.contains(minor)) sys.error(s"-Dspark.minor=$minor is none of ${minors.mkString(", ")}")

  val isDefault: Boolean = minor == default

  /** @param key of a version that depends on the minor: `spark`, `scala`, `hadoop` or `parquet` */
  def version(key: String): String = if (isDefault) Versions(key) else Versions(s"$key.$minor")

  /** A folder of this minor alone, so that none is compiled anew: `folder` itself for the default, else one in it. */
  def own(folder: File): File = if (isDefault) folder else folder / s"spark-$minor"

  /** The folders of shims in `sources`, which is `src/main` or `src/test`, for whichever Sparks. */
  def allShims(sources: File): Seq[File] = Option((sources / "scala-shims").listFiles).toSeq.flatten.sorted

  /** Those for this minor: for it alone (`scala-shims/spark-4.1`) or for a range that it is in (`spark-4.0-4.1`). */
  def shims(sources: File): Seq[File] = allShims(sources).filter { folder =>
    val (first, last) = range(folder.getName)
    first <= minors.indexOf(minor) && minors.indexOf(minor) <= last
  }

  private def range(folder: String): (Int, Int) = folder.split("-") match {
    case Array("spark", one) if minors.contains(one) => (minors.indexOf(one), minors.indexOf(one))
    case Array("spark", first, last) if minors.contains(first) && minors.contains(last) =>
      (minors.indexOf(first), minors.indexOf(last))
    case _ => sys.error(s"scala-shims/$folder is for no Spark of ${minors.mkString(", ")}")
  }

  /** `versions.properties` as the jar has it: the keys without a minor are those of the minor that the jar is for. */
  def ofJar(lines: Seq[String]): Seq[String] = {
    val own = Map("spark.minor" -> minor) ++ Seq("spark", "scala", "hadoop", "parquet").map(key => key -> version(key))
    lines.map { line =>
      own.collectFirst { case (key, value) if line.startsWith(s"$key=") => s"$key=$value" }.getOrElse(line)
    }
  }
}
