// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import scala.collection.mutable.ArrayBuffer

import io.sparkzorder.expressions.{RangeBoundaries, RangeBucket, RangePartitionId}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
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
    if (RangePartitionId.mayBeIn(plan))
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

/**
 * An aggregate as two operators: the groups with their aggregate functions, and a projection of what is made of them.
 *
 * A call such as `range_partition_id(sum(x), n)` cuts the groups into ranges; they first have to be an input.
 */
private[plan] object AggregateSplit {

  def apply(aggregate: Aggregate): LogicalPlan = {
    val computed = ArrayBuffer.empty[NamedExpression]

    def attributeOf(expression: Expression): Attribute = {
      def isIt(e: NamedExpression): Boolean = e match {
        case Alias(child, _) => child.semanticEquals(expression)
        case other => other.semanticEquals(expression)
      }
      computed.find(isIt).getOrElse {
        val named = expression match {
          case attribute: Attribute => attribute
          case other => Alias(other, other.prettyName)()
        }
        computed += named
        named
      }.toAttribute
    }

    def project(expression: Expression): Expression = expression match {
      case function: AggregateExpression => attributeOf(function)
      case group if aggregate.groupingExpressions.exists(_.semanticEquals(group)) => attributeOf(group)
      case other => other.mapChildren(project)
    }

    val projected = aggregate.aggregateExpressions.map(project(_).asInstanceOf[NamedExpression])
    Project(projected, aggregate.copy(aggregateExpressions = computed.toSeq))
  }
}

/**
 * Gives the common table expressions that a plan defines ids of their own, for a copy of the plan that comes to stand
 * beside it: Spark knows them by their ids only, and takes two of one id for one.
 */
private[plan] object FreshCteIds {

  def apply(plan: LogicalPlan): LogicalPlan = {
    // In the order of the old ones, on which Spark's inlining relies.
    val fresh = defined(plan).sorted.map(id => id -> CTERelationDef.newId).toMap
    if (fresh.isEmpty) plan
    else
      plan.transformUpWithSubqueries {
        case definition: CTERelationDef => definition.copy(id = fresh(definition.id))
        // What a query around the plan defines keeps its id.
        case reference: CTERelationRef => reference.copy(cteId = fresh.getOrElse(reference.cteId, reference.cteId))
        case loop: UnionLoop => loop.copy(id = fresh.getOrElse(loop.id, loop.id))
        case reference: UnionLoopRef => reference.copy(loopId = fresh.getOrElse(reference.loopId, reference.loopId))
      }
  }

  private def defined(plan: LogicalPlan): Seq[Long] =
    plan.collectWithSubqueries { case definition: CTERelationDef => definition.id }.distinct
}
