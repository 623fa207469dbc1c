// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, ZOrderColumn}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ClusterableTable
import io.sparkzorder.key.KeyType

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/** Turns the resolved columns of a statement into paths, and refuses those that no layout can be built on. */
private[command] object LayoutColumns {

  /** More columns than this would leave each fewer than four bits of the index. */
  val Limit = 16
  require(Curve.bitsFor(Limit) >= 3)

  /** @throws ZOrderAnalysisException for a column that cannot be z-ordered by */
  def of(resolved: Seq[Expression], table: ClusterableTable): Seq[ZOrderColumn] = {
    resolved.filter(e => KeyType.of(e.dataType).isEmpty).flatMap(e => ColumnPath.of(e).map(_ -> e)).foreach {
      case (path, e) => throw ZOrderErrors.unorderableColumn(path.toString, table.name, e.dataType)
    }
    val paths = named(resolved, table)
    if (paths.length > Limit) throw ZOrderErrors.tooManyColumns(paths.length, Limit)
    paths.map(p => ZOrderColumn.of(p, table.schema).get)
  }

  /** @throws ZOrderAnalysisException for what is no data column of the table, or stands there twice */
  def named(resolved: Seq[Expression], table: ClusterableTable): Seq[ColumnPath] = {
    val paths = resolved.map(e => ColumnPath.of(e).getOrElse(throw ZOrderErrors.notAColumn(e.sql, table.name)))
    paths.diff(paths.distinct).headOption.foreach(p => throw ZOrderErrors.duplicateColumn(p.toString))
    paths.find(p => table.partitionColumns.contains(p.parts.head)).foreach { p =>
      throw ZOrderErrors.partitionColumn(p.toString, table.name, dataColumns(table))
    }
    paths
  }

  def dataColumns(table: ClusterableTable): Seq[String] =
    table.schema.fieldNames.toSeq.filterNot(table.partitionColumns.contains).map(quoteIfNeeded)
}
