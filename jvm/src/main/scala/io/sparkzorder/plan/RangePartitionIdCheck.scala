package io.sparkzorder.plan

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Refuses, when a query is analyzed, every call of `range_partition_id` whose input cannot be read on its own. */
object RangePartitionIdCheck extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    plan.foreachWithSubqueries(operator => RangeInput.calls(operator).foreach(RangeInput.of(operator, _)))
}
