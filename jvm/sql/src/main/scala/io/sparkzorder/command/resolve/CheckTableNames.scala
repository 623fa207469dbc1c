// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.TableFormats
import io.sparkzorder.plan.StatementOnTable

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND

/** Lets formats look at the names of tables in our statements before Spark asks their catalogs. */
class CheckTableNames(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsPattern(COMMAND)) plan.foreach {
      case s: StatementOnTable =>
        s.child match {
          case table: UnresolvedTable =>
            UnexpectedError.named(s.statement.name)(formats.requireNamed(session, table.multipartIdentifier))
          case _ =>
        }
      case _ =>
    }
    plan
  }
}
