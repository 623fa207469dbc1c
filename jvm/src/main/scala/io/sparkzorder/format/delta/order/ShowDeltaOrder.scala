// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.order

import io.sparkzorder.errors.ZOrderAnalysisException
import io.sparkzorder.write.OrderedRows

import org.apache.spark.sql.catalyst.plans.logical.{AppendData, LogicalPlan, OverwriteByExpression, V2WriteCommand}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Puts [[OrderedRows]] into the plans of appends and overwrites of Delta tables, so that EXPLAIN shows the order.
 *
 * Delta may still add columns to the rows before it writes them, generated ones for example: then [[OrderDeltaWrites]]
 * finds the order anew, and decides whether it is valid.
 */
private[delta] object ShowDeltaOrder extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case append: AppendData if append.resolved => ordered(append)
    case overwrite: OverwriteByExpression if overwrite.resolved => ordered(overwrite)
    case _ => plan
  }

  private def ordered(write: V2WriteCommand): LogicalPlan = (write.table, write.query) match {
    case (_, _: OrderedRows) => write
    case (relation: DataSourceV2Relation, query) =>
      val order = relation.table match {
        case table: DeltaTableV2 =>
          val name = DeltaOrder.nameOf(table.catalogTable, table.deltaLog)
          try DeltaOrder.of(query, name, table.initialSnapshot.metadata, conf)
          catch { case _: ZOrderAnalysisException => None }
        case _ => None
      }
      order.fold[LogicalPlan](write)(o => write.withNewQuery(OrderedRows(o, query)))
    case _ => write
  }
}
