// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{MetricsModes, Schema}
import org.apache.iceberg.types.{Comparators, Type}
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.Types.NestedField
import org.apache.iceberg.util.{BinaryUtil, UnicodeUtil}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.io.api.Binary

/**
 * The counts and bounds of strings and bytes that are too long for a footer: parquet-java writes no statistics of more than
 * 4096 bytes, and Iceberg's writers take them before that.
 */
private[encoded] object LongTexts {

  /**
   * Adds what the footer does not say of them.
   *
   * @param groups
   *   the file's row groups, as they were before the footer was written
   */
  def addTo(metrics: FileMetrics, schema: Schema, groups: Seq[BlockMetaData]): Unit =
    for {
      field <- schema.columns.asScala
      if isText(field.`type`) && FileMetrics.isKept(metrics.mode(field)) && !metrics.hasCounts(field)
    } {
      val chunks = groups.flatMap(_.getColumns.asScala).filter(_.getPrimitiveType.getId.intValue == field.fieldId)
      metrics.putCounts(field, chunks.map(_.getValueCount).sum, chunks.map(_.getStatistics.getNumNulls).sum)
      addBounds(metrics, field, chunks)
    }

  private def isText(dataType: Type): Boolean =
    dataType.typeId == TypeID.STRING || dataType.typeId == TypeID.BINARY

  /** Of which bounds are kept: characters of a string, bytes of others. */
  private def lengthOf(mode: MetricsModes.MetricsMode): Option[Int] = mode match {
    case truncate: MetricsModes.Truncate => Some(truncate.length)
    case other => Option.when(FileMetrics.keepsBounds(other))(Int.MaxValue)
  }

  private def addBounds(metrics: FileMetrics, field: NestedField, chunks: Seq[ColumnChunkMetaData]): Unit = {
    val statistics = chunks.map(_.getStatistics).filter(_.hasNonNullValue)
    for (most <- lengthOf(metrics.mode(field)) if statistics.nonEmpty) {
      def bytes(of: Statistics[_] => Any) = statistics.map(of(_).asInstanceOf[Binary].toByteBuffer)
      val (least, greatest) = (bytes(_.genericGetMin), bytes(_.genericGetMax))
      if (field.`type`.typeId == TypeID.STRING) {
        val order = Ordering.comparatorToOrdering(Comparators.charSequences)
        def texts(of: Seq[ByteBuffer]): Seq[CharSequence] = of.map(UTF_8.decode(_).toString)
        metrics.putBounds(
          field,
          UnicodeUtil.truncateStringMin(texts(least).min(order).toString, most),
          UnicodeUtil.truncateStringMax(texts(greatest).max(order).toString, most))
      } else {
        val order = Ordering.comparatorToOrdering(Comparators.unsignedBytes)
        metrics.putBounds(
          field,
          BinaryUtil.truncateBinaryMin(least.min(order), most),
          BinaryUtil.truncateBinaryMax(greatest.max(order), most))
      }
    }
  }
}
