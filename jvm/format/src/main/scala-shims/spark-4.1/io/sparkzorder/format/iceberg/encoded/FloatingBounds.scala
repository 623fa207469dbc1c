// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.encoded

import java.lang.{Double => JDouble}

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{MetricsConfig, Schema}
import org.apache.iceberg.types.Type
import org.apache.iceberg.types.Type.TypeID
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.catalyst.InternalRow

/**
 * NaN and the bounds of all other values of one column of FLOAT or DOUBLE, as Iceberg's writers count them: the statistics
 * of Parquet do not count NaN, and have no bounds beside it.
 *
 * @param field
 *   its ordinal in the rows
 */
private[encoded] final class FloatingBounds(field: Int, column: NestedField) {

  private val isFloat = column.`type`.typeId == TypeID.FLOAT
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

  /** In place of what the footer says of the column. */
  def addTo(metrics: FileMetrics): Unit = {
    metrics.putNans(column, nans)
    if (FileMetrics.keepsBounds(metrics.mode(column)) && others > 0)
      metrics.putBounds(column, boxed(lower), boxed(upper))
    else metrics.putBounds(column, null, null)
  }

  private def boxed(value: Double): Any = if (isFloat) Float.box(value.toFloat) else Double.box(value)
}

private[encoded] object FloatingBounds {

  /** Those of the columns of a file of which the table keeps metrics. */
  def of(schema: Schema, config: MetricsConfig): Array[FloatingBounds] =
    schema.columns.asScala.zipWithIndex.collect {
      case (column, i) if isFloating(column.`type`) && FileMetrics.isKept(config.columnMode(column.name)) =>
        new FloatingBounds(i, column)
    }.toArray

  private def isFloating(dataType: Type): Boolean =
    dataType.typeId == TypeID.FLOAT || dataType.typeId == TypeID.DOUBLE
}
