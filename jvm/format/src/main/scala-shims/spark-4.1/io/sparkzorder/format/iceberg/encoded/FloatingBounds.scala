// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.lang.{Double => JDouble, Long => JLong}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap, Map => JMap}

import org.apache.iceberg.{Metrics, MetricsConfig, Schema}
import org.apache.iceberg.types.{Conversions, Type}
import org.apache.iceberg.types.Type.TypeID
import org.apache.spark.sql.catalyst.InternalRow

/**
 * NaN and the bounds of all other values of one column of FLOAT or DOUBLE, as Iceberg's writers count them: the statistics
 * of Parquet do not tell NaN, and have no bounds beside it.
 *
 * @param field
 *   its ordinal in the rows
 * @param hasBounds
 *   whether the table keeps bounds of the column
 */
private[encoded] final class FloatingBounds(field: Int, id: Int, dataType: Type, hasBounds: Boolean) {

  private val isFloat = dataType.typeId == TypeID.FLOAT
  private var nans = 0L
  private var others = 0L
  // By the order of Java's `Double.compare`, as Iceberg has it: -0.0 is below 0.0.
  private var lower = Double.PositiveInfinity
  private var upper = Double.NegativeInfinity

  def add(row: InternalRow): Unit = if (!row.isNullAt(field)) {
    val value = if (isFloat) row.getFloat(field).toDouble else row.getDouble(field)
    if (value.isNaN) nans += 1
    else {
      others += 1
      if (JDouble.compare(value, lower) < 0) lower = value
      if (JDouble.compare(value, upper) > 0) upper = value
    }
  }

  private def bytes(value: Double): ByteBuffer =
    if (isFloat) Conversions.toByteBuffer(dataType, Float.box(value.toFloat))
    else Conversions.toByteBuffer(dataType, Double.box(value))

  private[encoded] def putInto(
      nanCounts: JMap[Integer, JLong],
      lowerBounds: JMap[Integer, ByteBuffer],
      upperBounds: JMap[Integer, ByteBuffer]): Unit = {
    nanCounts.put(id, nans)
    lowerBounds.remove(id)
    upperBounds.remove(id)
    if (hasBounds && others > 0) {
      lowerBounds.put(id, bytes(lower))
      upperBounds.put(id, bytes(upper))
    }
  }
}

private[encoded] object FloatingBounds {

  /** Those of the columns of a file of which the table keeps metrics. */
  def of(schema: Schema, config: MetricsConfig): Array[FloatingBounds] =
    schema.columns.toArray(Array.empty[org.apache.iceberg.types.Types.NestedField]).zipWithIndex.collect {
      case (field, i) if isFloating(field.`type`) && config.columnMode(field.name).toString != "none" =>
        new FloatingBounds(i, field.fieldId, field.`type`, config.columnMode(field.name).toString != "counts")
    }

  private def isFloating(dataType: Type): Boolean =
    dataType.typeId == TypeID.FLOAT || dataType.typeId == TypeID.DOUBLE

  /** The metrics of a file, with what is known of these columns in place of what its footer says. */
  def in(metrics: Metrics, columns: Array[FloatingBounds]): Metrics = {
    val nans = copied[JLong](metrics.nanValueCounts)
    val (lower, upper) = (copied[ByteBuffer](metrics.lowerBounds), copied[ByteBuffer](metrics.upperBounds))
    columns.foreach(_.putInto(nans, lower, upper))
    new Metrics(
      metrics.recordCount,
      metrics.columnSizes,
      metrics.valueCounts,
      metrics.nullValueCounts,
      nans,
      lower,
      upper)
  }

  private def copied[T](of: JMap[Integer, T]): JMap[Integer, T] =
    if (of == null) new JHashMap[Integer, T]() else new JHashMap[Integer, T](of)
}
