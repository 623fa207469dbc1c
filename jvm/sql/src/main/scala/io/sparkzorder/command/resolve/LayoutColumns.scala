// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, OrderColumns, ZOrderColumn}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ReadableTable
import io.sparkzorder.types.KeyType

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.internal.SQLConf

/** Turns the resolved columns of a statement into paths, and refuses those that no layout can be built on. */
private[command] object LayoutColumns {

  require(Curve.bitsFor(ZOrderColumn.Limit) >= 3)

  /** @throws ZOrderAnalysisException for a column that cannot be z-ordered by */
  def of(resolved: Seq[Expression], table: ReadableTable): Seq[ZOrderColumn] = {
    resolved.filter(e => KeyType.of(e.dataType).isEmpty).flatMap(e => ColumnPath.of(e).map(_ -> e)).foreach {
      case (path, e) => throw ZOrderErrors.unorderableColumn(path.toString, table.name, e.dataType)
    }
    val paths = named(resolved, table)
    if (paths.length > ZOrderColumn.Limit) throw ZOrderErrors.tooManyColumns(paths.length, ZOrderColumn.Limit)
    paths.map(p => ZOrderColumn.of(p, table.schema).get)
  }

  /**
   * The columns of the table's own order, where that is a z-order or a plain sort by one column.
   *
   * @throws ZOrderAnalysisException
   *   for a table without such an order, and where its columns cannot be z-ordered by
   */
  def ofOrder(table: ReadableTable): Seq[ZOrderColumn] = table.order match {
    case None => throw ZOrderErrors.noTableOrder(table.name, dataColumns(table).take(2).mkString(", "))
    case Some(order) if !order.isZOrder && order.columns.size > 1 =>
      throw ZOrderErrors.lexicalTableOrder(table.name, order.columns.map(ColumnPath(_).toString))
    case Some(order) =>
      OrderColumns.of(order, table.name, table.schema, table.partitionColumns, SQLConf.get.resolver)
  }

  /** @throws ZOrderAnalysisException for what is no data column of the table, or stands there twice */
  def named(resolved: Seq[Expression], table: ReadableTable): Seq[ColumnPath] = {
    val paths = resolved.map(e => ColumnPath.of(e).getOrElse(throw ZOrderErrors.notAColumn(e.sql, table.name)))
    paths.diff(paths.distinct).headOption.foreach(p => throw ZOrderErrors.duplicateColumn(p.toString))
    paths.find(p => table.partitionColumns.contains(p.parts.head)).foreach { p =>
      throw ZOrderErrors.partitionColumn(p.toString, table.name, dataColumns(table))
    }
    paths
  }

  def dataColumns(table: ReadableTable): Seq[String] =
    table.schema.fieldNames.toSeq.filterNot(table.partitionColumns.contains).map(quoteIfNeeded)
}
