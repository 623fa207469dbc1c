// SPDX-License-Identifier: Apache-2.0
import sbt._

/** What the build links against. Spark, Scala and Delta are the user's: none of them enters the jar. */
object Dependencies {
  private def sparkModule(name: String): ModuleID =
    "org.apache.spark" % s"${name}_${Versions("scala.binary")}" % CrossSpark.version("spark")

  val spark: Seq[ModuleID] = Seq("spark-core", "spark-catalyst", "spark-sql").map(sparkModule(_) % Provided)

  /** What Spark brings, in its own versions: those that others ask for may be newer. */
  val ofSpark: Seq[ModuleID] =
    Seq("hadoop-client-api", "hadoop-client-runtime").map("org.apache.hadoop" % _ % CrossSpark.version("hadoop")) ++
      Seq("parquet-column", "parquet-common", "parquet-encoding", "parquet-format-structures", "parquet-hadoop", "parquet-jackson")
        .map("org.apache.parquet" % _ % CrossSpark.version("parquet"))

  // Optional at run time: only format/delta links to it, and only when a Delta table is asked for.
  val delta: Seq[ModuleID] =
    Seq(
      "io.delta" % s"delta-spark_${CrossSpark.minor}_${Versions("scala.binary")}" % Versions("delta") % Provided)

  /** For tests without Spark. */
  val pureTests: Seq[ModuleID] = Seq(
    "org.scalatest" %% "scalatest" % Versions("scalatest") % Test,
    "org.scalatestplus" %% "scalacheck-1-18" % Versions("scalatestplus-scalacheck") % Test)

  val tests: Seq[ModuleID] = pureTests ++ Seq(
    sparkModule("spark-core") % Test classifier "tests",
    sparkModule("spark-catalyst") % Test classifier "tests",
    sparkModule("spark-sql") % Test classifier "tests",
    sparkModule("spark-sql-api") % Test classifier "tests",
    sparkModule("spark-common-utils") % Test classifier "tests",
    // HDFS in this process. Spark brings the rest of Hadoop's client.
    "org.apache.hadoop" % "hadoop-client-minicluster" % CrossSpark.version("hadoop") % Test intransitive ()
  )
}
