// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.expressions.RangePartitionId

import org.apache.spark.sql.catalyst.expressions.{Expression, LambdaFunction, NamedLambdaVariable, OuterReference}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** The rows that a call of `range_partition_id` cuts into ranges: those that enter the operator it stands in. */
private[plan] object RangeInput {

  /** All calls in the expressions of `operator`, not in those of its children or subqueries. */
  def calls(operator: LogicalPlan): Seq[RangePartitionId] =
    operator.expressions.flatMap(_.collect { case call: RangePartitionId => call })

  /**
   * The child of `operator` whose rows are the input of `call`.
   *
   * @throws ZOrderAnalysisException
   *   where there is no such child, or where it cannot be read a second time on its own
   */
  def of(operator: LogicalPlan, call: RangePartitionId): LogicalPlan = {
    foreignReference(call.child).foreach(r => throw ZOrderErrors.rangeArgumentNotFromInput(call, r))
    val input = operator match {
      case join: Join => sideOf(join, call)
      case _: Project | _: Filter | _: Aggregate | _: Expand | _: Sort | _: Window | _: Generate |
          _: RepartitionByExpression | _: RebalancePartitions =>
        operator.children.head
      // UPDATE, DELETE and MERGE among them, which evaluate their expressions over some of a table's files.
      case _ => throw ZOrderErrors.rangeInputUnsupported(call, operator.nodeName)
    }
    if (input.isStreaming) throw ZOrderErrors.rangeInputStreaming(call)
    correlation(input).foreach(r => throw ZOrderErrors.rangeInputCorrelated(call, r))
    input
  }

  private def sideOf(join: Join, call: RangePartitionId): LogicalPlan =
    join.children
      .find(side => call.references.subsetOf(side.outputSet))
      .getOrElse(throw ZOrderErrors.rangeInputSpansJoin(call))

  /** A reference to an outer query or to a variable of a lambda function around the call. */
  private def foreignReference(argument: Expression): Option[Expression] = {
    val bound = argument.collect { case lambda: LambdaFunction => lambda.arguments.map(_.exprId) }.flatten.toSet
    argument.collectFirst {
      case outer: OuterReference => outer
      case variable: NamedLambdaVariable if !bound(variable.exprId) => variable
    }
  }

  /** A reference from within `input` to a query around it. References from its own subqueries are its own affair. */
  private def correlation(input: LogicalPlan): Option[Expression] =
    input.collectFirst {
      case operator if operator.expressions.exists(outerReference(_).nonEmpty) =>
        operator.expressions.flatMap(outerReference(_)).head
    }

  private def outerReference(expression: Expression): Option[Expression] =
    expression.collectFirst { case outer: OuterReference => outer }
}

/**
 * Refuses, when a query is analyzed, every call of `range_partition_id` whose input cannot be read on its own.
 *
 * A rule and no check rule: what a check rule throws reaches the user without its SQLSTATE (`ExtendedAnalysisException`
 * carries only conditions of Spark's own).
 */
object CheckRangePartitionIds extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (RangePartitionId.mayBeIn(plan)) plan.foreachWithSubqueries { operator =>
      // What is not resolved is for Spark to report.
      if (operator.resolved) RangeInput.calls(operator).foreach(RangeInput.of(operator, _))
    }
    plan
  }
}
