// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.expressions.RangeBucket

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Computes the range ids in a join's condition as columns below the join.
 *
 * Spark does not wait for a scalar subquery in the key of a broadcast hash join (SPARK-58485: "Subquery has not
 * finished"), and the boundaries of a [[RangeBucket]] are one. The rule runs after filters have moved into joins.
 */
object MoveRangeBucketsBelowJoins extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp { case join: Join => below(join) }

  /** `operator` with the ids in its expressions as columns of projections below it; its output is the same. */
  def below(operator: LogicalPlan): LogicalPlan = {
    val columns = for {
      bucket <- operator.expressions.flatMap(_.collect { case b: RangeBucket => b }).distinctBy(_.canonicalized)
      child <- operator.children.find(c => bucket.references.subsetOf(c.outputSet))
    } yield (child, Alias(bucket, "range_id")())
    if (columns.isEmpty) operator
    else {
      val children = operator.children.map { child =>
        columns.collect { case (c, alias) if c eq child => alias } match {
          case Nil => child
          case aliases => Project(child.output ++ aliases, child)
        }
      }
      val attributes = columns.map { case (_, alias) => alias.child.canonicalized -> alias.toAttribute }.toMap
      val above = operator.transformExpressionsDown {
        case bucket: RangeBucket => attributes.getOrElse(bucket.canonicalized, bucket): Expression
      }
      Project(operator.output, above.withNewChildren(children))
    }
  }
}
