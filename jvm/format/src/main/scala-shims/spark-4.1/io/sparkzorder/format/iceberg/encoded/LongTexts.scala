// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.lang.{Long => JLong}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{HashMap => JHashMap, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Metrics, MetricsConfig, MetricsModes, Schema}
import org.apache.iceberg.types.{Comparators, Conversions, Type}
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
   * The metrics of a file, with those that its footer does not tell.
   *
   * @param groups
   *   its row groups, as they were before the footer was written
   */
  def in(metrics: Metrics, schema: Schema, config: MetricsConfig, groups: Seq[BlockMetaData]): Metrics = {
    val unknown = schema.columns.asScala.filter { field =>
      isText(field.`type`) && config.columnMode(field.name) != MetricsModes.None.get &&
      !metrics.valueCounts.containsKey(field.fieldId)
    }
    if (unknown.isEmpty) metrics
    else {
      val values = new JHashMap[Integer, JLong](metrics.valueCounts)
      val nulls = new JHashMap[Integer, JLong](metrics.nullValueCounts)
      val lower = new JHashMap[Integer, ByteBuffer](metrics.lowerBounds)
      val upper = new JHashMap[Integer, ByteBuffer](metrics.upperBounds)
      unknown.foreach { field =>
        val chunks = groups.flatMap(_.getColumns.asScala).filter(_.getPrimitiveType.getId.intValue == field.fieldId)
        values.put(field.fieldId, chunks.map(_.getValueCount).sum)
        nulls.put(field.fieldId, chunks.map(_.getStatistics.getNumNulls).sum)
        putBounds(field, chunks, lengthOf(config.columnMode(field.name)), lower, upper)
      }
      new Metrics(metrics.recordCount, metrics.columnSizes, values, nulls, metrics.nanValueCounts, lower, upper)
    }
  }

  private def isText(dataType: Type): Boolean =
    dataType.typeId == TypeID.STRING || dataType.typeId == TypeID.BINARY

  /** Of which bounds are kept: characters of a string, bytes of others. */
  private def lengthOf(mode: MetricsModes.MetricsMode): Option[Int] = mode match {
    case truncate: MetricsModes.Truncate => Some(truncate.length)
    case _: MetricsModes.Full => Some(Int.MaxValue)
    case _ => None
  }

  private def putBounds(
      field: NestedField,
      chunks: Seq[ColumnChunkMetaData],
      length: Option[Int],
      lower: JMap[Integer, ByteBuffer],
      upper: JMap[Integer, ByteBuffer]): Unit = {
    val statistics = chunks.map(_.getStatistics).filter(_.hasNonNullValue)
    for (most <- length if statistics.nonEmpty) {
      def bytes(of: Statistics[_] => Any) = statistics.map(of(_).asInstanceOf[Binary].toByteBuffer)
      def put(bounds: JMap[Integer, ByteBuffer], bound: Any): Unit =
        if (bound != null) bounds.put(field.fieldId, Conversions.toByteBuffer(field.`type`, bound))
      val (least, greatest) = (bytes(_.genericGetMin), bytes(_.genericGetMax))
      if (field.`type`.typeId == TypeID.STRING) {
        val order = Ordering.comparatorToOrdering(Comparators.charSequences)
        def texts(of: Seq[ByteBuffer]): Seq[CharSequence] = of.map(UTF_8.decode(_).toString)
        put(lower, UnicodeUtil.truncateStringMin(texts(least).min(order).toString, most))
        put(upper, UnicodeUtil.truncateStringMax(texts(greatest).max(order).toString, most))
      } else {
        val order = Ordering.comparatorToOrdering(Comparators.unsignedBytes)
        put(lower, BinaryUtil.truncateBinaryMin(least.min(order), most))
        put(upper, BinaryUtil.truncateBinaryMax(greatest.max(order), most))
      }
    }
  }
}
