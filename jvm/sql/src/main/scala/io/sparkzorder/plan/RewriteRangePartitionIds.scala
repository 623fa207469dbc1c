// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.expressions.{RangeBoundaries, RangeBucket, RangePartitionId}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, CollectMetrics, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.NullType

/**
 * Replaces every `range_partition_id(col, n)` by a [[RangeBucket]] over boundaries that a scalar subquery finds.
 *
 * The subquery aggregates the child of the operator that the call stands in; all calls over the same child share one
 * subquery and so one pass. Spark runs it when the query runs: nothing is computed while planning.
 *
 * It belongs to the normalization of analyzed plans, before the optimizer: there operators still are where the user
 * wrote them, so that what a call means does not depend on filters that move, and cached data is still to be looked up,
 * so that subquery and query both find it.
 */
object RewriteRangePartitionIds extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    var found = false
    plan.foreachWithSubqueries(operator => found ||= RangeInput.calls(operator).nonEmpty)
    if (!found) plan
    else plan.transformUpWithSubqueries { case operator => rewrite(operator) }
  }

  /** One round per level of nesting: the ranges of an inner call have to be known to those of the call around it. */
  private def rewrite(operator: LogicalPlan): LogicalPlan = {
    val calls = RangeInput.calls(operator)
    val ready = calls.filter(c => !c.child.exists(e => isCall(e) || e.isInstanceOf[AggregateExpression]))
    operator match {
      // What compares with an outer query's column becomes the condition of a join with it.
      case filter: Filter if calls.isEmpty && filter.condition.exists(_.isInstanceOf[OuterReference]) =>
        MoveRangeBucketsBelowJoins.below(filter)
      case _ if calls.isEmpty => operator
      case _ if ready.nonEmpty => rewrite(replace(operator, ready))
      case aggregate: Aggregate => rewrite(AggregateSplit(aggregate))
      case _ => operator
    }
  }

  private def isCall(expression: Expression): Boolean = expression.isInstanceOf[RangePartitionId]

  private def replace(operator: LogicalPlan, calls: Seq[RangePartitionId]): LogicalPlan = {
    val distinct = calls.distinctBy(_.canonicalized).filter(_.child.dataType != NullType)
    val boundaries: Map[Expression, Expression] =
      distinct.groupBy(RangeInput.of(operator, _)).flatMap { case (input, of) => boundariesOf(input, of) }
    operator.transformExpressionsUp {
      // Untyped NULLs only: all rows are alike.
      case call: RangePartitionId if call.child.dataType == NullType => Literal(0)
      case call: RangePartitionId if boundaries.contains(call.canonicalized) =>
        RangeBucket(call.child, boundaries(call.canonicalized))
    }
  }

  /** Per call (canonicalized) its field of one subquery over `input`. */
  private def boundariesOf(input: LogicalPlan, calls: Seq[RangePartitionId]): Map[Expression, Expression] = {
    val arguments =
      calls.map(_.child).distinctBy(_.canonicalized).map(a => a.canonicalized -> Alias(a, "value")()).toMap
    val fields = calls.zipWithIndex.flatMap { case (call, i) =>
      val argument = arguments(call.child.canonicalized).toAttribute
      Seq(Literal(s"_$i"), RangeBoundaries(argument, call.rangeCount).toAggregateExpression())
    }
    // A projection of its own: an aggregate function cannot evaluate a non-deterministic argument.
    val rows = Project(arguments.values.toSeq, FreshCteIds(withoutMetrics(input)))
    val subquery = ScalarSubquery(Aggregate(Nil, Seq(Alias(CreateNamedStruct(fields), "boundaries")()), rows))
    calls.zipWithIndex.map { case (call, i) => call.canonicalized -> GetStructField(subquery, i) }.toMap
  }

  /** `Dataset.observe` shall see each row once. */
  private def withoutMetrics(input: LogicalPlan): LogicalPlan =
    input.transformUp { case metrics: CollectMetrics => metrics.child }
}
