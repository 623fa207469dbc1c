// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparkzorder.column.ColumnStatistics

import org.apache.parquet.VersionParser
import org.apache.parquet.column.statistics.Statistics

import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, FileMetaData, ParquetMetadata}
import org.apache.spark.sql.catalyst.analysis.{caseInsensitiveResolution, Resolver}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/**
 * The statistics of some columns in a file, out of those of its column chunks.
 *
 * @param same
 *   whether two names are the same to the table's reader
 */
private[sparkzorder] class ChunkStatistics(columns: IndexedSeq[StatisticsColumn], same: Resolver) {
  import ChunkStatistics._

  private val orders = columns.map(c => TypeUtils.getInterpretedOrdering(c.dataType))

  def of(footer: ParquetMetadata): Map[StatisticsColumn, ColumnStatistics] = {
    val meta = footer.getFileMetaData
    val flat = meta.getSchema.getColumns.asScala.filter(_.getMaxRepetitionLevel == 0).map(_.getPath.toSeq).toSeq
    val found = columns.indices.map { i =>
      flat.filter(columns(i).isAt(_, same)) match {
        case Seq(path) =>
          val blocks = footer.getBlocks.asScala.toSeq
          val chunks = blocks.flatMap(_.getColumns.asScala.find(_.getPath.toArray.toSeq == path))
          if (chunks.size == blocks.size) column(chunks, i, meta) else ColumnStatistics.unknown
        // Not there, in a list, or there twice in different case. What a reader makes of that is not known here.
        case _ => ColumnStatistics.unknown
      }
    }
    columns.zip(found).toMap
  }

  /** Whether each column that is in the file, in whatever case, has the name that is asked for, and is there once. */
  def isExact(footer: ParquetMetadata): Boolean = {
    val paths = footer.getFileMetaData.getSchema.getColumns.asScala.map(_.getPath.toSeq)
    columns.forall(c => paths.forall(p => p == c.path || !c.isAt(p, caseInsensitiveResolution)))
  }

  private def column(chunks: Seq[ColumnChunkMetaData], i: Int, meta: FileMetaData): ColumnStatistics = {
    val parts = chunks.map(chunk(_, columns(i).dataType))
    val nulls = if (parts.forall(_.nulls.isDefined)) Some(parts.flatMap(_.nulls).sum) else None
    val filled = parts.filter(p => p.min != null)
    val isKnown = parts.forall(p => p.min != null || p.isEmpty)
    if (!isKnown || filled.isEmpty) ColumnStatistics(null, null, nulls)
    else {
      val min = filled.map(_.min).min(orders(i))
      val max = filled.map(_.max).max(orders(i))
      checked(ColumnStatistics(min, max, nulls), columns(i).dataType, meta)
    }
  }

  private def checked(column: ColumnStatistics, dataType: DataType, meta: FileMetaData): ColumnStatistics =
    dataType match {
      case FloatType | DoubleType if isNaN(column.min) => column.unbounded
      // Other writers leave NaN out of bounds.
      case FloatType | DoubleType => column.copy(mayHoldNaN = !countsNaN(meta))
      case DateType if !isGregorian(meta) && column.min.asInstanceOf[Int] < FirstSafeDay =>
        column.unbounded
      case TimestampType | TimestampNTZType if !isGregorian(meta) && column.min.asInstanceOf[Long] < FirstSafeMicros =>
        column.unbounded
      case _ => column
    }
}

private[sparkzorder] object ChunkStatistics {

  private final case class Part(min: Any, max: Any, nulls: Option[Long], isEmpty: Boolean)

  private def chunk(chunk: ColumnChunkMetaData, dataType: DataType): Part = {
    val statistics: Statistics[_] = chunk.getStatistics
    if (statistics == null) Part(null, null, None, isEmpty = false)
    else {
      val nulls = if (statistics.isNumNullsSet) Some(statistics.getNumNulls) else None
      def value(any: Any) = StoredBound.converted(any, chunk.getPrimitiveType, dataType)
      if (!statistics.hasNonNullValue) Part(null, null, nulls, isEmpty = nulls.contains(chunk.getValueCount))
      else {
        val (min, max) = (value(statistics.genericGetMin), value(statistics.genericGetMax))
        if (min == null || max == null) Part(null, null, nulls, isEmpty = false)
        else Part(min, max, nulls, isEmpty = false)
      }
    }
  }

  private def isNaN(value: Any): Boolean = value match {
    case f: Float => f.isNaN
    case d: Double => d.isNaN
    case _ => false
  }

  /**
   * Since 1.10 parquet-java orders NaN last when it writes, and its reader then finds no bounds at all (PARQUET-1246).
   */
  private def countsNaN(meta: FileMetaData): Boolean =
    Option(meta.getCreatedBy).flatMap(c => Try(VersionParser.parse(c)).toOption).exists { writer =>
      writer.application == "parquet-mr" && atLeast(writer.version, 1, 10)
    }

  private val SparkVersion = "org.apache.spark.version"
  private val LegacyCalendars = Set("org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96")

  // 1901: since then calendars and time zones do not differ in what Spark writes and reads.
  private val FirstSafeDay = -25202
  private val FirstSafeMicros = FirstSafeDay * MICROS_PER_DAY

  /** Whether days are surely counted as Spark counts them, whatever the session says of files that do not say it. */
  private def isGregorian(meta: FileMetaData): Boolean = {
    val keyValues = meta.getKeyValueMetaData.asScala
    keyValues.get(SparkVersion).exists(atLeast(_, 3, 0)) && !LegacyCalendars.exists(keyValues.contains)
  }

  private def atLeast(version: String, major: Int, minor: Int): Boolean =
    Option(version).map(_.split("\\.").take(2).map(_.takeWhile(_.isDigit).toIntOption)) match {
      case Some(Array(Some(a), Some(b))) => a > major || (a == major && b >= minor)
      case _ => false
    }
}
