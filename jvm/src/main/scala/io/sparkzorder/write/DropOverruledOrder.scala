// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.expressions.ZOrderKey

import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.optimizer.EliminateSorts
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Leaves a query that delivers its rows in the order of the table as it is; from any other takes the sort that the
 * table's order makes useless. A sort that decides which rows there are (`ORDER BY ... LIMIT`) stays.
 *
 * It runs once, when the optimizer has brought sorts to where they end up, and before writers ask for partitions to be
 * sorted.
 */
object DropOverruledOrder extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case rows: OrderedRows if !rows.isDelivered && rows.child.output.nonEmpty =>
      val query = if (isDelivered(rows)) rows.child else withoutSorts(rows.child)
      val without = rows.copy(child = query, overrules = rows.overrules || sorts(query) < sorts(rows.child))
      // What was below a sort may deliver the order by itself.
      without.copy(isDelivered = isDelivered(without))
  }

  private def isDelivered(rows: OrderedRows): Boolean = {
    val (order, query) = (rows.order, rows.child)
    val columns = order.expressions(query.output)
    val keys: Option[Seq[Expression]] =
      if (order.moves) None
      else if (!order.order.isZOrder || columns.size == 1) Some(columns)
      else if (order.order.isRaw) Some(Seq(ZOrderKey(columns)))
      else None
    keys.exists { k =>
      val required = (order.partitions.map(query.output) ++ k).map(SortOrder(_, Ascending))
      SortOrder.orderingSatisfies(query.outputOrdering, required)
    }
  }

  /** Spark's own rule takes what a global sort above makes useless, and that sort is then taken off. */
  private def withoutSorts(query: LogicalPlan): LogicalPlan =
    EliminateSorts(Sort(Seq(SortOrder(query.output.head, Ascending)), global = true, query)) match {
      case sort: Sort => sort.child
      case _ => query
    }

  private def sorts(plan: LogicalPlan): Int = plan.collect { case s: Sort => s }.size
}
