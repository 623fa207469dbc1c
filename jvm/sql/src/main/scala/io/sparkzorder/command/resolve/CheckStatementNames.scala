// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.plan.{SortTableStatement, StatementOnTable}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Refuses what Spark could not resolve in our statements by Spark's own check, a moment before Spark does, for its
 * sentence alone: after it Spark shows the plan, in which a table is all that its catalog has inside.
 */
class CheckStatementNames(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(COMMAND)) plan.foreach {
      case s @ (_: StatementOnTable | _: SortTableStatement) if !s.resolved =>
        SparkInternals.checkWithoutPlan(session, plan)
      case _ =>
    }
    plan
  }
}
