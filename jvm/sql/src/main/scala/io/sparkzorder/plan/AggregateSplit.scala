// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}

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
