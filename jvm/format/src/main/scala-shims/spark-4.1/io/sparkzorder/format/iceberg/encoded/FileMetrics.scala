// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.lang.{Long => JLong}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap, Map => JMap}

import org.apache.iceberg.{Metrics, MetricsConfig, MetricsModes}
import org.apache.iceberg.types.{Conversions, Type}
import org.apache.iceberg.types.Types.NestedField

/** The metrics of a file by its footer, to which may be added what that leaves out. */
private[encoded] final class FileMetrics(inFooter: Metrics, config: MetricsConfig) {

  private val values = copied[JLong](inFooter.valueCounts)
  private val nulls = copied[JLong](inFooter.nullValueCounts)
  private val nans = copied[JLong](inFooter.nanValueCounts)
  private val lower = copied[ByteBuffer](inFooter.lowerBounds)
  private val upper = copied[ByteBuffer](inFooter.upperBounds)

  private def copied[T](of: JMap[Integer, T]): JMap[Integer, T] =
    if (of == null) new JHashMap[Integer, T]() else new JHashMap[Integer, T](of)

  /** What the table keeps of a column. */
  def mode(field: NestedField): MetricsModes.MetricsMode = config.columnMode(field.name)

  def hasCounts(field: NestedField): Boolean = values.containsKey(field.fieldId)

  def putCounts(field: NestedField, count: Long, nullCount: Long): Unit = {
    values.put(field.fieldId, count)
    nulls.put(field.fieldId, nullCount): Unit
  }

  def putNans(field: NestedField, count: Long): Unit = nans.put(field.fieldId, count): Unit

  /** @param least, greatest values in Iceberg's form; null where there is none */
  def putBounds(field: NestedField, least: Any, greatest: Any): Unit = {
    def put(bounds: JMap[Integer, ByteBuffer], bound: Any): Unit =
      if (bound == null) bounds.remove(field.fieldId): Unit
      else bounds.put(field.fieldId, Conversions.toByteBuffer(field.`type`, bound)): Unit
    put(lower, least)
    put(upper, greatest)
  }

  def asMetrics: Metrics =
    new Metrics(inFooter.recordCount, inFooter.columnSizes, values, nulls, nans, lower, upper)
}

private[encoded] object FileMetrics {

  /** Whether the table keeps anything of a column. */
  def isKept(mode: MetricsModes.MetricsMode): Boolean = mode != MetricsModes.None.get

  /** Whether it keeps bounds, too. */
  def keepsBounds(mode: MetricsModes.MetricsMode): Boolean = isKept(mode) && mode != MetricsModes.Counts.get
}
