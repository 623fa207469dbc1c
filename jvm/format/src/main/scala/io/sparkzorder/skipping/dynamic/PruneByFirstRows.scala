// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.skipping.predicate.{BoundsResolver, FirstRows}
import io.sparkzorder.skipping.scan.{IndexedScanExec, LateFilters, NeededRows}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Max, Min, Partial}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * Passes to a scan how few of its rows are needed where a query takes the first of them in an order, or the least and
 * greatest values of columns. The scan then leaves out files whose rows come after enough others.
 *
 * Only where nothing but projections and filters is between: what else uses the rows needs all of them.
 */
final class PruneByFirstRows(session: SparkSession, indexes: ScanIndexes) extends PruningRule(session) {

  override protected def pruned(plan: SparkPlan): SparkPlan = plan.transformUp {
    case top: TakeOrderedAndProjectExec if top.limit > 0 =>
      over(top, narrowed(top.child, Seq(firstOf(top.sortOrder.head, top.limit))))
    case aggregate: BaseAggregateExec if isOfExtremes(aggregate) =>
      val needed = aggregate.aggregateExpressions.map(_.aggregateFunction).collect {
        case Min(child) => FirstRows(child, isAscending = true, FirstRows.Ignored, 1, Nil)
        case Max(child) => FirstRows(child, isAscending = false, FirstRows.Ignored, 1, Nil)
      }
      over(aggregate, narrowed(aggregate.child, needed))
  }

  // A new node makes Spark compare it, and copy all above it.
  private def over(operator: SparkPlan, child: SparkPlan): SparkPlan =
    if (operator.children.head eq child) operator else operator.withNewChildren(Seq(child))

  private def firstOf(order: SortOrder, limit: Int): FirstRows = {
    val nulls = if (order.nullOrdering == NullsFirst) FirstRows.First else FirstRows.Last
    FirstRows(order.child, order.isAscending, nulls, limit, Nil)
  }

  private def isOfExtremes(aggregate: BaseAggregateExec): Boolean =
    aggregate.groupingExpressions.isEmpty && aggregate.aggregateExpressions.nonEmpty &&
      aggregate.aggregateExpressions.forall {
        case AggregateExpression(_: Min | _: Max, Partial, false, None, _) => true
        case _ => false
      }

  /** The plan of which only `needed` rows are used. */
  private def narrowed(plan: SparkPlan, needed: Seq[FirstRows]): SparkPlan = plan match {
    case project: ProjectExec if new NumberedRows(project).areNotMissed(project) =>
      val below = JoinKeys.belowAliases(project)
      val passed = needed.map(f => f.copy(key = below(f.key), conditions = f.conditions.map(below)))
      over(project, narrowed(project.child, passed))
    case filter: FilterExec if filter.condition.deterministic =>
      over(filter, narrowed(filter.child, needed.map(f => f.copy(conditions = f.conditions :+ filter.condition))))
    case scan: FileSourceScanExec if canTell(scan, needed) =>
      indexes.of(scan).fold(scan)(IndexedScanExec.over(scan, _, scan.dataFilters :+ rowsOf(scan, needed)))
    case scan: BatchScanExec if areBounded(needed) =>
      val files = indexes.of(scan).filter(of => of.readsAll && !of.filters.exists(LateFilters.isOurs))
      files.fold(scan)(of => of.withFilters(of.filters :+ rowsOf(scan, needed)))
    case other => other
  }

  private def rowsOf(scan: SparkPlan, needed: Seq[FirstRows]): NeededRows = {
    val named = TableNames.of(scan)
    NeededRows.of(needed.map(f => f.copy(key = named(f.key), conditions = f.conditions.map(named))))
  }

  /** A partition that is left out after the listing, and a file that cannot be read, would take rows with it that count. */
  private def canTell(scan: FileSourceScanExec, needed: Seq[FirstRows]): Boolean =
    ReadsAll(scan.relation) && !scan.partitionFilters.exists(LateFilters.isLate) && !scan.dataFilters.exists(
      LateFilters.isOurs) && areBounded(needed)

  private def areBounded(needed: Seq[FirstRows]): Boolean =
    needed.forall { f =>
      // Rows that a subquery decides on are not known to count.
      f.key.deterministic && BoundsResolver.isBounded(f.key) && !f.conditions.exists(LateFilters.isLate)
    }
}
