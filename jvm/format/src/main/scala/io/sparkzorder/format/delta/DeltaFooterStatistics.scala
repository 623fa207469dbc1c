// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.net.URI

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.parquet.footer.{FileStatistics, FileStatisticsReader, SchemaDetail, StatisticsColumn}

import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.ParquetOutputFormat
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.stats.StatsCollectionUtils
import org.apache.spark.sql.delta.util.DeltaFileOperations
import org.apache.spark.sql.functions.{col, count, input_file_name, lit, max, min}
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType
import org.apache.spark.sql.types._
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The statistics of files just written, from their footers instead of from every row, which costs a fifth of a rewrite.
 *
 * Footers leave some bounds out: those of columns with NaN and of long strings; and they widen bounds of zero to `-0.0`
 * and `0.0`, whichever zero the rows have, while Delta answers `min` and `max` from its log. For such files and columns
 * one query finds the bounds. What footers never have (NULLs among arrays, maps and variants) leaves a table to Delta's
 * own way.
 */
private[delta] class DeltaFooterStatistics(session: SparkSession, snapshot: Snapshot) {

  private case class Leaf(logical: ColumnPath, physical: Seq[String], dataType: DataType) {
    val stored: StatisticsColumn = StatisticsColumn(physical, dataType)
  }

  private val leaves: IndexedSeq[Leaf] = {
    val schema = snapshot.statCollectionLogicalSchema
    ColumnPath.leaves(schema).toIndexedSeq.map { column =>
      val (physical, dataType) = DeltaStatistics.stored(column, schema)
      Leaf(column, physical, dataType)
    }
  }

  private val conf = session.sessionState.conf

  // In footers; the log's own prefixes are longer.
  private lazy val cutsStrings = session.sessionState.newHadoopConfWithOptions(snapshot.metadata.configuration)
    .getInt(ParquetOutputFormat.STATISTICS_TRUNCATE_LENGTH, Int.MaxValue) != Int.MaxValue

  /** Whether footers have what Delta would collect, for all but odd values. */
  def suffice: Boolean =
    conf.getConf(DeltaSQLConf.DELTA_COLLECT_STATS) &&
      !conf.getConf(DeltaSQLConf.TIGHT_BOUND_COLUMN_ON_FILE_INIT_DISABLED) &&
      leaves.forall(leaf => isTold(leaf.dataType))

  /** The statistics of each file as Delta's log has them; None for a file without rows. */
  def of(files: IndexedSeq[AddFile]): IndexedSeq[Option[String]] = {
    val dataPath = snapshot.dataPath.toString
    val locations = files.map(f => DeltaFileOperations.absolutePath(dataPath, f.path).toString)
    val footers = new FileStatisticsReader(session).read(locations, leaves.map(_.stored), SchemaDetail.None)
    val counted = query(files.zip(footers).filter { case (_, footer) => leaves.exists(isOpen(_, footer)) })
    val text = new DeltaStatisticsText(
      snapshot.statsSchema,
      conf.sessionLocalTimeZone,
      StatsCollectionUtils.getDataSkippingStringPrefixLength(session, snapshot.metadata))
    files.zip(footers).map { case (file, footer) =>
      val columns =
        leaves.map(leaf => leaf.physical -> footer.of(leaf.stored)).toMap ++ counted.getOrElse(nameOf(file), Map.empty)
      if (footer.rows == 0) None else Some(text.write(footer.rows, columns))
    }
  }

  private def isTold(dataType: DataType): Boolean = dataType match {
    case TimestampType =>
      // The old form has no statistics.
      conf.parquetOutputTimestampType == ParquetOutputTimestampType.TIMESTAMP_MICROS
    case _: ArrayType | _: MapType | _: VariantType | _: UserDefinedType[_] | NullType => false
    case _ => true
  }

  private def isOpen(leaf: Leaf, footer: FileStatistics): Boolean = {
    val found = footer.of(leaf.stored)
    def isExact =
      if (found.min == null) found.nullCount.contains(footer.rows)
      else !found.mayHoldNaN && !isOdd(found.min) && !isOdd(
        found.max) && !(cutsStrings && leaf.dataType.isInstanceOf[StringType])
    found.nullCount.isEmpty || (DeltaStatistics.hasBounds(leaf.dataType) && !isExact)
  }

  /** A zero of FLOAT or DOUBLE, of either sign, or NaN. */
  private def isOdd(bound: Any): Boolean = bound match {
    case float: Float => float == 0.0f || float.isNaN
    case double: Double => double == 0.0 || double.isNaN
    case _ => false
  }

  /** By file name and column what footers leave open, from the rows; no job where they leave nothing open. */
  private def query(open: IndexedSeq[(AddFile, FileStatistics)]): Map[String, Map[Seq[String], ColumnStatistics]] =
    if (open.isEmpty) Map.empty
    else {
      val asked = leaves.filter(leaf => open.exists(f => isOpen(leaf, f._2)))
      val rows = snapshot.deltaLog.createDataFrame(snapshot, open.map(_._1))
      val perFile = SparkInternals.collect(aggregate(rows, asked), "z-order: statistics that footers leave open")
      perFile.map(row => nameOf(row.getUTF8String(0).toString) -> columnsOf(row, asked)).toMap
    }

  private def aggregate(rows: DataFrame, asked: Seq[Leaf]): DataFrame = {
    val columns = asked.flatMap { leaf =>
      val column = col(leaf.logical.toString)
      val bounds: Seq[Column] =
        if (DeltaStatistics.hasBounds(leaf.dataType)) Seq(min(column), max(column)) else Seq(lit(null), lit(null))
      bounds :+ (count(lit(1)) - count(column))
    }
    rows.groupBy(input_file_name()).agg(columns.head, columns.tail: _*)
  }

  private def columnsOf(row: InternalRow, asked: Seq[Leaf]): Map[Seq[String], ColumnStatistics] =
    asked.zipWithIndex.map { case (leaf, i) =>
      def bound(at: Int) =
        if (DeltaStatistics.hasBounds(leaf.dataType)) InternalRow.copyValue(row.get(at, leaf.dataType)) else null
      val first = 1 + 3 * i
      leaf.physical -> ColumnStatistics(bound(first), bound(first + 1), Some(row.getLong(first + 2)))
    }.toMap

  private def nameOf(file: AddFile): String = nameOf(file.path)

  /** The last part of a URI, decoded: the name of a file is unique in a write. */
  private def nameOf(uri: String): String = new Path(new URI(uri)).getName
}
