// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Refuses, when a query is analyzed, every call of `range_partition_id` whose input cannot be read on its own.
 *
 * A rule and no check rule: what a check rule throws reaches the user without its SQLSTATE (`ExtendedAnalysisException`
 * carries only conditions of Spark's own).
 */
object CheckRangePartitionIds extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreachWithSubqueries { operator =>
      // What is not resolved is for Spark to report.
      if (operator.resolved) RangeInput.calls(operator).foreach(RangeInput.of(operator, _))
    }
    plan
  }
}
