// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.workload

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, GetStructField, IsNotNull}
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * The filters of one scan of a table.
 *
 * @param filters
 *   all of which a row must satisfy, over the columns of the table in its own spelling; none for a scan of all rows
 * @param weight
 *   how often the scan runs, or how much it counts; above 0
 */
private[advise] final case class ScanFilters(filters: Seq[Expression], weight: Double) {

  /** Equal for scans that read the same. */
  def key: Set[Expression] = filters.map(_.canonicalized).toSet

  /** The columns and fields in the filters; not those that only must not be NULL, as Spark says of every join. */
  def columns: Seq[ColumnPath] = filters
    .filter {
      case _: IsNotNull => false
      case _ => true
    }
    .flatMap(ScanFilters.columns)
    .distinct
}

private[advise] object ScanFilters {

  /** The scans of one query by their filters: together they count once. */
  def ofQuery(scans: Seq[Seq[Expression]], times: Double = 1.0): Seq[ScanFilters] =
    scans.map(ScanFilters(_, times / scans.size))

  /** A column of a table by its name as a query has it. */
  def field(name: String, schema: StructType): Option[StructField] =
    schema.find(_.name == name).orElse(schema.find(_.name.equalsIgnoreCase(name)))

  private def columns(expression: Expression): Seq[ColumnPath] = expression match {
    case e @ (_: Attribute | _: GetStructField) => ColumnPath.of(e).fold(e.children.flatMap(columns))(Seq(_))
    case other => other.children.flatMap(columns)
  }
}
