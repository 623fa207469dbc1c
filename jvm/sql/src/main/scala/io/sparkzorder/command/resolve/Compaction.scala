// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.command.optimize.{OptimizeCommand, OptimizeOptions}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, CompactableTable, OwnRecords, ReadableTable}
import io.sparkzorder.plan.CompactStatement

import org.apache.spark.sql.catalyst.analysis.ResolvedTable

/** Makes the command of an OPTIMIZE without ZORDER. */
private[resolve] object Compaction {

  /**
   * @param statement
   *   with its names resolved
   * @throws ZOrderAnalysisException
   *   for a table of a format that compacts its files itself, one with an order, and options that have no meaning
   */
  def resolved(statement: CompactStatement, found: ResolvedTable, table: ClusterableTable): OptimizeCommand = {
    if (!table.isInstanceOf[CompactableTable])
      throw table.refusal(OwnRecords.Compaction, s"${CompactStatement.Name} without ZORDER BY")
    val options = OptimizeOptions.ofCompaction(statement.options, CompactStatement.Name)
    options.requireKeepable(table)
    requireNoOrder(table)
    val where = statement.predicate.map(
      ResolvedParts.checked(_, CompactStatement.Name, table, found, choosesFiles = false))
    OptimizeCommand(table, Nil, where, options, statement.dryRun)
  }

  /** Files that are put together one after the other are in an order no more. */
  private def requireNoOrder(table: ReadableTable): Unit = table.order.foreach { order =>
    throw ZOrderErrors.compactionOfOrder(table.name, order.columns.map(ColumnPath(_).toString))
  }
}
