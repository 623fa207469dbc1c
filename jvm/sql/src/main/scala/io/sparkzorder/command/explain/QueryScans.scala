// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.explain

import org.apache.spark.sql.execution.{DataSourceScanExec, ReusedSubqueryExec, SparkPlan, SubqueryAdaptiveBroadcastExec}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanExecBase

/** Finds the scans of tables in a physical plan that has not run. */
private[command] object QueryScans extends AdaptiveSparkPlanHelper {

  /** In the order of the plan, then those of its subqueries; a scan whose rows Spark uses again is there once. */
  def of(plan: SparkPlan): Seq[SparkPlan] =
    (plan +: subqueries(plan)).flatMap(collect(_) { case scan if isScan(scan) => scan })

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: DataSourceScanExec | _: DataSourceV2ScanExecBase => true
    // Of a module of Spark that need not be there.
    case other => other.getClass.getSimpleName == "HiveTableScanExec"
  }

  /**
   * A subquery stands in the plan as often as an expression with it does (the scan's filter is also that of its parent,
   * a filter), and runs once. Adaptive execution gives a dynamic pruning subquery the rows of the join's other side,
   * which is in the plan, or drops it.
   */
  private def subqueries(plan: SparkPlan): Seq[SparkPlan] = {
    val own = flatMap(plan)(_.subqueries).filter {
      case _: SubqueryAdaptiveBroadcastExec | _: ReusedSubqueryExec => false
      case _ => true
    }
    (own ++ own.flatMap(subqueries)).distinctBy(_.canonicalized)
  }
}
