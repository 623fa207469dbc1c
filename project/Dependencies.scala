// SPDX-License-Identifier: Apache-2.0
import sbt._

/** What the build links against. Spark, Scala and Delta are the user's: none of them enters the jar. */
object Dependencies {
  private def sparkModule(name: String): ModuleID =
    "org.apache.spark" % s"${name}_${Versions("scala.binary")}" % CrossSpark.version("spark")

  val spark: Seq[ModuleID] = Seq("spark-core", "spark-catalyst", "spark-sql").map(sparkModule(_) % Provided)

  /** What Spark brings, in its own versions: those that others ask for may be newer. */
  val ofSpark: Seq[ModuleID] =
    Seq("client-api", "client-runtime").map(name =>
      "org.apache.hadoop" % s"hadoop-$name" % CrossSpark.version("hadoop")) ++
      Seq("column", "common", "encoding", "format-structures", "hadoop", "jackson").map(name =>
        "org.apache.parquet" % s"parquet-$name" % CrossSpark.version("parquet"))

  // Optional at run time: only format/delta links to it, and only when a Delta table is asked for.
  val delta: Seq[ModuleID] =
    Seq(
      "io.delta" % s"delta-spark_${CrossSpark.minor}_${Versions("scala.binary")}" % Versions("delta") % Provided)

  /** The Sparks that there is a runtime of Iceberg for, which the room `format/iceberg` of their shims links with. */
  val iceberg: Seq[ModuleID] =
    if (!Versions("iceberg.spark.minors").split(" ").contains(CrossSpark.minor)) Nil
    else
      // It has all that it needs in it, under names of its own.
      Seq(("org.apache.iceberg" % s"iceberg-spark-runtime-${CrossSpark.minor}_${Versions("scala.binary")}" %
        Versions("iceberg") % Provided).intransitive())

  /** HDFS's daemons. Spark brings the rest of Hadoop's client. */
  val minicluster: ModuleID =
    ("org.apache.hadoop" % "hadoop-client-minicluster" % CrossSpark.version("hadoop")).intransitive()

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
    // HDFS in this process.
    minicluster % Test
  )
}
