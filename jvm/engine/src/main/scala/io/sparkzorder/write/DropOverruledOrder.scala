// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.expressions.ZOrderKey

import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.catalyst.optimizer.EliminateSorts
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{DoubleType, FloatType, StringType}

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
    val partitions = order.partitions.map(query.output)
    // Of these a folder's rows may not lie together: NULL and the empty string have one folder, 0.0 and -0.0 have two.
    val areFolders = !partitions.exists(_.dataType match {
      case _: StringType | FloatType | DoubleType => true
      case _ => false
    })
    val keys = order.kind match {
      case _ if order.moves || !areFolders => None
      case WriteOrder.Lexical => Some(columns)
      case WriteOrder.RawCurve => Some(Seq(ZOrderKey(columns)))
      case WriteOrder.RankedCurve => None
    }
    keys.exists(k => SortOrder.orderingSatisfies(query.outputOrdering, (partitions ++ k).map(SortOrder(_, Ascending))))
  }

  /** Spark's own rule takes what a global sort above makes useless, and that sort is then taken off. */
  private def withoutSorts(query: LogicalPlan): LogicalPlan =
    EliminateSorts(Sort(Seq(SortOrder(query.output.head, Ascending)), global = true, query)) match {
      case sort: Sort => sort.child
      case _ => query
    }

  private def sorts(plan: LogicalPlan): Int = plan.collect { case s: Sort => s }.size
}
