// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import java.io.File
import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.{DeltaSession, LongTest, TestedSpark}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.parquet.encoder.EncodedFormat

import org.apache.hadoop.fs.Path
import org.apache.logging.log4j.Level
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.execution.CommandExecutionMode
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

/** Writes and rewrites of whole tables by the encoder leave the same files as Spark's writer, byte by byte. */
class EncodeWritesSuite extends QueryTest with DeltaSession with WrittenOrder {

  private val write = "spark.sql.zorder.write.encoder"
  private val optimize = "spark.sql.zorder.optimize.encoder"

  /** The bytes of data files by partition and task: the rest of a name is new in each write. */
  private def contents(folder: File): Map[String, Seq[Byte]] = dataFiles(folder.toURI.toString).map { file =>
    val path = Paths.get(file)
    s"${path.getParent.getFileName}/${path.getFileName.toString.take(10)}" -> Files.readAllBytes(path).toSeq
  }.toMap

  private def data: DataFrame = events(5000).selectExpr("*", "array(a, a + 1) AS more", "named_struct('x', b) AS s")

  private def byBoth(setting: String, encodes: Boolean = true)(run: File => Unit): Unit = withTempDir { dir =>
    def written(isEncoded: Boolean) = {
      val folder = new File(dir, isEncoded.toString)
      withSQLConf(setting -> isEncoded.toString)(assert(isByEncoder(run(folder)) === (isEncoded && encodes)))
      // The folder's own name is no partition.
      contents(folder).map { case (name, bytes) => name.replace(s"${folder.getName}/", "/") -> bytes }
    }
    val (ours, theirs) = (written(true), written(false))
    assert(ours.nonEmpty && ours.keySet === theirs.keySet)
    ours.foreach { case (name, bytes) => assert(bytes === theirs(name), name) }
  }

  /** Whether the encoder writes a file. */
  private def isByEncoder(body: => Unit): Boolean = {
    val log = new LogAppender("files of the encoder")
    log.setThreshold(Level.DEBUG)
    val name = "io.sparkzorder.parquet.encoder.EncodedFile"
    withLogAppender(log, Seq(name), Some(Level.DEBUG))(body)
    log.loggingEvents.exists(_.getLoggerName == name)
  }

  /** The format of a statement's write. */
  private def format(statement: String): Seq[Class[_]] = {
    val plan = spark.sessionState.sqlParser.parsePlan(statement)
    spark.sessionState.executePlan(plan, CommandExecutionMode.SKIP).normalized.collect {
      case insert: InsertIntoHadoopFsRelationCommand => insert.fileFormat.getClass
    }
  }

  test("df.write.parquet, partitioned and not, with options") {
    byBoth(write)(f => data.write.option("parquet.page.size", "3000").option("compression", "zstd").parquet(f.getPath))
    byBoth(write)(f => data.write.partitionBy("day").parquet(f.getPath))
    byBoth(write, encodes = false)(f =>
      data.write.option("parquet.bloom.filter.enabled#c", "true").parquet(f.getPath))
  }

  test("CTAS, INSERT and INSERT OVERWRITE") {
    data.createOrReplaceTempView("source")
    byBoth(write) { folder =>
      withTable("t") {
        sql(
          s"CREATE TABLE t USING parquet PARTITIONED BY (day) LOCATION '$folder' AS " +
            "SELECT * EXCEPT (day), day FROM source WHERE id < 900")
        sql("INSERT INTO t SELECT * EXCEPT (day), day FROM source WHERE id > 4000")
        sql("INSERT OVERWRITE t PARTITION (day = '2024-01-01') SELECT * EXCEPT (day) FROM source WHERE id % 3 = 0")
        checkAnswer(
          sql("SELECT count(*) FROM t WHERE day = '2024-01-01'"),
          sql("SELECT count(*) FROM source WHERE id % 3 = 0"))
      }
    }
  }

  test("the encoder writes only where it is asked to, and to tables with an order where nobody has said") {
    withTable("plain", "ordered", "other") {
      sql("CREATE TABLE plain (id BIGINT, a INT) USING parquet")
      sql("CREATE TABLE ordered (id BIGINT, a INT) USING parquet SORT BY ZORDER (id, a)")
      sql("CREATE TABLE other (id BIGINT, a INT) USING orc")
      def into(table: String) = format(s"INSERT INTO $table SELECT 1L, 2")
      assert(into("plain") === Seq(classOf[ParquetFileFormat]))
      assert(into("ordered") === Seq(classOf[EncodedFormat]))
      withSQLConf(write -> "true") {
        assert(into("plain") === Seq(classOf[EncodedFormat]))
        assert(into("other") === Seq(classOf[OrcFileFormat]))
      }
      withSQLConf(write -> "false")(assert(into("ordered") === Seq(classOf[ParquetFileFormat])))
    }
    assert(
      ZOrderConf.writesByEncoder(spark.sessionState.conf).isEmpty && ZOrderConf.optimizesByEncoder(
        spark.sessionState.conf))
  }

  test("OPTIMIZE of a Parquet table", LongTest) {
    byBoth(optimize) { folder =>
      data.repartition(3).write.partitionBy("day").parquet(folder.getPath)
      sql(s"OPTIMIZE parquet.`$folder` ZORDER BY (a, b) OPTIONS (target_file_size = '8k')")
      checkAnswer(
        spark.read.parquet(folder.getPath).select("id", "a", "b", "c"),
        data.select("id", "a", "b", "c").collect())
    }
  }

  private def deltaRun(properties: Map[String, String], encodes: Boolean)(more: => Unit = ()): Unit = {
    def log(isEncoded: Boolean) = actions(isEncoded, encodes, properties, more)
    val (ours, theirs) = (log(true), log(false))
    assert(ours.nonEmpty && ours === theirs)
  }

  /** What the log tells of the files that a run adds, but for their names and times. */
  private def actions(isEncoded: Boolean, encodes: Boolean, properties: Map[String, String], more: => Unit): Seq[Any] =
    try {
      createTable(
        "t",
        events(4000),
        partitionBy = Seq("day"),
        properties = properties)
      sql("DELETE FROM t WHERE id % 10 = 3")
      more
      // Variants are not compared.
      def plainly = spark.table("t").schema.map { f =>
        if (f.dataType == org.apache.spark.sql.types.VariantType) s"to_json(${f.name}) AS ${f.name}" else f.name
      }
      val rows = spark.table("t").selectExpr(plainly: _*).collect()
      val rewrite = "OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = '8k')"
      withSQLConf(optimize -> isEncoded.toString)(assert(isByEncoder(sql(rewrite)) === (isEncoded && encodes)))
      checkAnswer(spark.table("t").selectExpr(plainly: _*), rows.toSeq)
      // Names and times differ from run to run, and so do the random names of mapped columns.
      val names = log("t").update().metadata.schema.map(f => physical(f)).zipWithIndex
      def plain(text: String) = names.filter(_._1.startsWith("col-")).foldLeft(text) { case (t, (name, i)) =>
        t.replace(name, s"column $i")
      }
      added("t").map { f =>
        val values = f.partitionValues.map { case (k, v) => plain(k) -> v }
        val size = if (names.exists(_._1.startsWith("col-"))) 0 else f.size
        val tags = f.tags.map { case (k, v) => k -> plain(v).replaceAll("\"run\":\"[^\"]*\"", "") }
        (values, size, plain(String.valueOf(f.stats)), f.dataChange, tags, f.baseRowId, f.defaultRowCommitVersion)
      }.sortBy(_.toString)
    } finally sql("DROP TABLE IF EXISTS t")

  private def physical(f: org.apache.spark.sql.types.StructField): String =
    if (f.metadata.contains("delta.columnMapping.physicalName"))
      f.metadata.getString("delta.columnMapping.physicalName")
    else f.name

  for ((name, properties, encodes) <- Seq(
      ("plain", Map.empty[String, String], true),
      ("column mapping", Map("delta.columnMapping.mode" -> "name"), true),
      ("row tracking", Map("delta.enableRowTracking" -> "true", "delta.enableDeletionVectors" -> "true"), true),
      ("random prefixes", Map("delta.randomizeFilePrefixes" -> "true"), true),
      ("partition columns not in files", Map("delta.writePartitionColumnsToParquet" -> "false"), true),
      // Before Spark 4.2 the version reaches no writer, Delta's own neither.
      ("format version 2.12", Map("delta.parquet.format.version" -> "2.12.0"), !TestedSpark.isAtLeast("4.2")),
      ("IcebergCompatV2", Map("delta.columnMapping.mode" -> "name", "delta.enableIcebergCompatV2" -> "true"), false)
    )) test(
    s"OPTIMIZE of a Delta table: the same actions as by Delta's own writer ($name)",
    LongTest
  )(deltaRun(properties, encodes)())

  test("OPTIMIZE of a Delta table with a constraint and columns whose statistics no footer tells", LongTest) {
    deltaRun(Map.empty, encodes = true)(sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id >= 0)"))
    deltaRun(Map("delta.feature.variantType" -> "supported"), encodes = true) {
      sql("ALTER TABLE t ADD COLUMNS (l ARRAY<INT>, m MAP<STRING, INT>, v VARIANT, k CHAR(4))")
      val variant = """parse_json('{"a": 1}')"""
      sql(s"UPDATE t SET l = array(a, id), m = map('x', a), v = $variant, k = 'z' WHERE id % 3 = 0")
    }
  }

  test("OPTIMIZE of a Delta table whose footers have parts of strings only", LongTest) {
    deltaRun(Map("parquet.statistics.truncate.length" -> "3"), encodes = true)()
  }

  test("OPTIMIZE with a compression, on tables of both formats, by statement and by setting", LongTest) {
    def codecs(table: String): Set[String] = spark.table(table).inputFiles.toSet.flatMap { file: String =>
      val input = HadoopInputFile.fromPath(new Path(file), spark.sessionState.newHadoopConf())
      Using.resource(ParquetFileReader.open(input))(_.getFooter.getBlocks.asScala.flatMap(_.getColumns.asScala).toSet)
        .map(_.getCodec.toString)
    }
    def bytes(table: String): Long = layout(table, "a").head().getAs[Long]("bytes")
    for (format <- Seq("parquet", "delta"); isEncoded <- Seq("true", "false"))
      withTable("t") {
        withSQLConf(optimize -> isEncoded) {
          val table = events(5000).write.format(format)
          val level = "parquet.compression.codec.zstd.level"
          (if (format == "parquet") table.option("compression", "gzip").option(level, "19") else table).saveAsTable("t")
          // Delta's own writer prefers the table's properties to the session's settings.
          if (format == "delta" && isEncoded == "true") sql(s"ALTER TABLE t SET TBLPROPERTIES ('$level' = '19')")
          val before = codecs("t")
          def run(options: String): Unit = sql(s"OPTIMIZE t ZORDER BY (a, b) OPTIONS ($options)").collect()
          run("target_file_size = '30k'")
          assert(codecs("t") === before)
          run("compression = 'zstd(1)'")
          val quick = bytes("t")
          assert(codecs("t") === Set("ZSTD"))
          run("compression = 'ZSTD (19)'")
          assert(codecs("t") === Set("ZSTD") && bytes("t") < quick)
          withSQLConf("spark.sql.zorder.optimize.compression" -> "lz4_raw") {
            run("mode = 'full'")
            assert(codecs("t") === Set("LZ4_RAW"))
            run("compression = 'uncompressed'")
            assert(codecs("t") === Set("UNCOMPRESSED"))
          }
          checkAnswer(spark.table("t"), events(5000).collect().toSeq)
        }
      }
    intercept[IllegalArgumentException](spark.conf.set("spark.sql.zorder.optimize.compression", "zstd(0)"))
  }
}
