// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import io.sparkzorder.column.ColumnPath

import org.apache.iceberg.{MetricsConfig, MetricsModes, Schema, Table, TableProperties}
import org.apache.iceberg.types.Type.TypeID

/** Which bounds the manifests of a table get of its columns (`write.metadata.metrics.*`). */
private[iceberg] final class ColumnMetrics(table: Table, tableSchema: Schema) {
  import ColumnMetrics._

  private lazy val config = MetricsConfig.forTable(table)

  /** Whether Iceberg keeps bounds of the column's type at all. */
  def canHaveBounds(column: ColumnPath): Boolean =
    FieldPath.to(tableSchema, column).exists(_.last.`type`.isPrimitiveType)

  /** Whether bounds of the column's type mean the same in all releases of Iceberg; those of UUIDs do not. */
  def areSure(column: ColumnPath): Boolean =
    FieldPath.to(tableSchema, column).exists(_.last.`type`.typeId != TypeID.UUID)

  def hasBounds(column: ColumnPath): Boolean = canHaveBounds(column) && (config.columnMode(nameOf(column)) match {
    case _: MetricsModes.None | _: MetricsModes.Counts => false
    case _ => true
  })

  /** The bounds that files get of values that reach from `min` to `max`, by the table's default mode. */
  def recordedBounds(min: Any, max: Any): (Any, Any) = FileBounds.cut(min, max, config.columnMode(NoColumn))

  /** The property by which a column gets bounds, as SQL takes it. */
  def property(column: ColumnPath): String =
    s"'${TableProperties.METRICS_MODE_COLUMN_CONF_PREFIX}${nameOf(column)}' = 'truncate(16)'"

  private def nameOf(column: ColumnPath): String = column.parts.mkString(".")
}

private object ColumnMetrics {

  // For a name that no column has, Iceberg returns the default.
  private val NoColumn = ""
}
