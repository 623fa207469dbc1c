// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.iceberg.IcebergSession

import org.apache.hadoop.fs.Path
import org.apache.iceberg.{DataFile => TableFile}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.{DataFrame, QueryTest, SparkSession}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.BinaryType

/** What the encoder writes for a table is what Iceberg's own writer would, for readers and for manifests. */
class EncodedFilesSuite extends QueryTest with IcebergSession {

  private def everyType(rows: Int): DataFrame = spark.range(0, rows, 1, 3).selectExpr(
    "id",
    "IF(id % 5 = 0, NULL, id % 3 = 0) AS yes",
    "IF(id % 7 = 0, NULL, cast(id * 7919 % 1000 AS INT)) AS i",
    "CASE id % 11 WHEN 0 THEN NULL WHEN 1 THEN float('NaN') ELSE float(id % 100) END AS f",
    "CASE id % 13 WHEN 0 THEN NULL WHEN 1 THEN double('NaN') WHEN 2 THEN -0.0D WHEN 3 THEN 0.0D ELSE id / 8 END AS d",
    "IF(id < 0, 1.0D, double('NaN')) AS nan",
    "cast(id % 1000 / 7 AS DECIMAL(7, 2)) AS small",
    "cast(id * 1000003 / 7 AS DECIMAL(17, 4)) AS middle",
    "IF(id % 3 = 0, NULL, cast(id * 1000003 / 7 AS DECIMAL(30, 4))) AS large",
    "date_add(DATE'1969-12-01', cast(id % 90 AS INT)) AS y",
    "timestamp_micros(id * 3600000001) AS at",
    "cast(timestamp_micros(id * 3600000001 - 1) AS TIMESTAMP_NTZ) AS zoneless",
    "IF(id % 9 = 0, '', concat(repeat('long ', 5), id % 40)) AS s",
    "cast(concat(id % 6, repeat('é', 9)) AS BINARY) AS bytes",
    "cast(NULL AS STRING) AS nothing"
  )

  private def byWriter[T](encoder: Boolean)(body: => T): T =
    withSQLConf("spark.sql.zorder.optimize.encoder" -> encoder.toString)(body)

  private def footer(of: TableFile): ParquetMetadata =
    Using.resource(ParquetFileReader.open(
      HadoopInputFile.fromPath(new Path(of.location), spark.sessionState.newHadoopConf())))(_.getFooter)

  private def bytes(of: java.util.Map[Integer, ByteBuffer]): Map[Int, Seq[Byte]] =
    of.asScala.map { case (id, b) => id.toInt -> Seq.tabulate(b.remaining)(i => b.get(b.position() + i)) }.toMap

  /** All that a manifest and a footer say of a file that is not of the writer alone. */
  private def said(file: TableFile) = {
    val meta = footer(file)
    val codecs = meta.getBlocks.asScala.flatMap(_.getColumns.asScala.map(_.getCodec)).toSet
    (
      (
        file.location.take(file.location.lastIndexOf('/')),
        file.partition.toString,
        file.recordCount,
        file.sortOrderId,
        file.format,
        file.specId,
        file.firstRowId == null),
      (file.valueCounts, file.nullValueCounts, file.nanValueCounts),
      (bytes(file.lowerBounds), bytes(file.upperBounds)),
      (meta.getFileMetaData.getSchema, meta.getFileMetaData.getKeyValueMetaData, codecs))
  }

  /** Arrays of bytes are equal to themselves alone, and -0.0 to 0.0. */
  private def asTexts: Map[String, Int] = {
    val rows = sql(s"SELECT * FROM $t")
    val columns = rows.schema.map(f => if (f.dataType == BinaryType) s"hex(${f.name})" else s"`${f.name}`")
    rows.selectExpr(columns: _*).collect().toSeq.groupMapReduce(_.toString)(_ => 1)(_ + _)
  }

  private def rewritten(): Unit = {
    val before = asTexts
    cluster("i, d", 3, options = ", mode = 'full'")
    sql(s"REFRESH TABLE $t")
    assert(asTexts === before)
  }

  /** Bytes of the columns of these ids. */
  private def sizes(of: ParquetMetadata, ids: Set[Integer]): Map[Integer, Long] = {
    val chunks = of.getBlocks.asScala.flatMap(_.getColumns.asScala).toSeq
    chunks.map(c => Int.box(c.getPrimitiveType.getId.intValue) -> c.getTotalSize).filter(c => ids(c._1))
      .groupMapReduce(_._1)(_._2)(_ + _)
  }

  private def rewrittenBy(encoder: Boolean): Seq[TableFile] = {
    byWriter(encoder)(rewritten())
    val writers = files.map(f => footer(f).getFileMetaData.getCreatedBy)
    assert(files.size > 1 && writers.toSet.size === 1)
    files.foreach { file =>
      assert(file.splitOffsets.asScala.map(_.toLong) === footer(file).getBlocks.asScala.map(_.getStartingPos))
      assert(file.fileSizeInBytes === new java.io.File(file.location.stripPrefix("file:")).length)
      assert(file.columnSizes.asScala.toMap === sizes(footer(file), file.columnSizes.asScala.keySet.toSet))
    }
    files
  }

  private def plans: Option[FilesPlan] = {
    val output = DataTypeUtils.toAttributes(sql(s"SELECT * FROM $t").schema)
    FilesPlan.of(spark.asInstanceOf[SparkSession], table, "id", output, Map.empty)
  }

  for {
    version <- Seq(2, 3)
    by <- Seq("", "days(at)", "yes, truncate(2, s)", "bucket(3, s), y", "large")
  } test(s"schema, bounds, counts and partitions are those of Iceberg's writer: version $version, by '$by'") {
    withIceberg {
      val rows = if (by.contains("large") || by.contains("y")) everyType(300).where("id < 60") else everyType(3000)
      create(
        rows,
        version,
        by,
        "'write.metadata.metrics.column.small' = 'counts', 'write.metadata.metrics.column.f' = " +
          "'none', 'write.metadata.metrics.column.s' = 'truncate(3)', 'write.metadata.metrics.column.nan' = 'full'"
      )
      sql(s"DELETE FROM $t WHERE id % 17 = 3")
      assert(plans.nonEmpty)
      val theirs = rewrittenBy(encoder = false).map(said).groupBy(identity).view.mapValues(_.size).toMap
      val ours = rewrittenBy(encoder = true).map(said).groupBy(identity).view.mapValues(_.size).toMap
      assert(ours.keySet -- theirs.keySet === Set.empty)
      assert(ours === theirs)
    }
  }

  for (properties <-
      Seq("", "'write.parquet.row-group-size-bytes' = '20000', 'write.parquet.row-group-check-min-record-count' = '5'"))
    test(s"strings that are too long for a footer have bounds and counts: $properties") {
      withIceberg {
        val rows = spark.range(0, 200, 1, 2).selectExpr(
          "cast(id AS INT) AS i",
          "cast(id AS DOUBLE) AS d",
          "IF(id % 5 = 0, NULL, concat(char(65 + id % 23), repeat('é', IF(id % 7 = 0, 3000, 3)))) AS s",
          "IF(id % 3 = 0, NULL, cast(concat(id, repeat('b', IF(id % 2 = 0, 3000, 3))) AS BINARY)) AS bytes",
          "unhex(repeat('FF', 2500)) AS topmost",
          "concat(id, repeat('c', 3000)) AS counted",
          "concat(id, repeat('w', 3000)) AS whole",
          "concat(id, repeat('u', 3000)) AS unknown"
        )
        val modes = Seq("counted" -> "counts", "whole" -> "full", "unknown" -> "none")
          .map { case (column, mode) => s"'write.metadata.metrics.column.$column' = '$mode'" }
        create(rows, properties = (modes :+ properties).filter(_.nonEmpty).mkString(", "))
        def metrics(of: Seq[TableFile]) =
          of.sortBy(f => bytes(f.lowerBounds)(1).toString).map(said(_)).map(f => (f._2, f._3))
        val (theirs, ours) = (rewrittenBy(encoder = false), rewrittenBy(encoder = true))
        assert(theirs.forall(f => f.valueCounts.size == 7 && f.upperBounds.size == 5 && f.lowerBounds.size == 6))
        assert(metrics(ours) === metrics(theirs))
      }
    }

  test("settings of Parquet's are those of the table") {
    withIceberg {
      create(
        everyType(6000),
        properties = "'write.parquet.compression-codec' = 'snappy', 'write.parquet.row-group-size-bytes' " +
          "= '20000', 'write.parquet.row-group-check-min-record-count' = '100', 'write.parquet.page-row-limit' = '50'"
      )
      val (theirs, ours) = (rewrittenBy(encoder = false), rewrittenBy(encoder = true))
      def groups(of: Seq[TableFile]) = of.map(footer(_).getBlocks.size).sum
      assert(ours.map(said).toSet === theirs.map(said).toSet)
      assert(groups(theirs) > 3 * files.size && math.abs(groups(ours) - groups(theirs)) <= groups(theirs) / 2)
    }
  }

  private val refused = Seq(
    ("ALTER TABLE %s ADD COLUMN more STRUCT<x: INT>", "a struct"),
    ("ALTER TABLE %s ADD COLUMN `two words` INT", "a name that Parquet cannot have"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('write.parquet.bloom-filter-enabled.column.id' = 'true')", "a Bloom filter"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('write.parquet.stats-enabled.column.id' = 'false')", "no statistics"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('write.parquet.page-version' = 'v2')", "pages of version 2"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('write.parquet.compression-codec' = 'lz4')", "another codec"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('parquet.enable.dictionary' = 'false')", "a setting of parquet-java's"),
    ("ALTER TABLE %s SET TBLPROPERTIES ('write.format.default' = 'orc')", "another format")
  )

  for ((statement, what) <- refused) test(s"Iceberg's own writer writes where a table has $what") {
    withIceberg {
      create(everyType(500).select("id", "i", "d"))
      assert(plans.nonEmpty)
      sql(statement.format(t))
      assert(plans.isEmpty)
      if (!what.contains("codec")) rewritten()
    }
  }

  test("the setting of the encoder is obeyed") {
    withIceberg {
      create(everyType(100).select("id", "i"))
      assert(byWriter(encoder = true)(plans).nonEmpty && byWriter(encoder = false)(plans).isEmpty)
      assert(ZOrderConf.optimizesByEncoder(spark.sessionState.conf))
    }
  }
}
