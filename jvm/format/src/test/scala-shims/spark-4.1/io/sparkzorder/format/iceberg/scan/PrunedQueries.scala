// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.format.iceberg.IcebergSession
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** Queries that must have the same rows without dynamic skipping, and the files that they leave out with it. */
trait PrunedQueries extends IcebergSession with AdaptiveSparkPlanHelper { self: QueryTest =>

  protected val dynamic = "spark.sql.zorder.skipping.dynamic"

  /** Files that the scans of a plan that has run have left out. */
  protected def prunedBy(metric: String, plan: SparkPlan): Long = collectWithSubqueries(plan) {
    case scan: BatchScanExec => scan.metrics.get(metric).fold(0L)(_.value)
  }.sum

  /** Files left out by the keys of joins. */
  protected def checked(query: String): Long = checked(query, IndexedScanExec.FilesPrunedByKeys)

  /** Files left out by what the query itself says. */
  protected def checkedFirst(query: String): Long = checked(query, IndexedScanExec.FilesPruned)

  /** Runs a query with dynamic skipping and without, adaptively and not; @return the files that it left out */
  protected def checked(query: String, metric: String): Long = {
    val expected = withSQLConf(dynamic -> "false")(sql(query).collect().toSeq)
    def run(again: Boolean): Long = {
      val data = sql(query)
      requireSame(query, data, expected)
      val pruned = prunedBy(metric, data.queryExecution.executedPlan)
      // Adaptive execution makes stages anew, and a plan that has run runs again.
      if (again) requireSame(query, data, expected)
      pruned
    }
    val pruned = run(again = true)
    withSQLConf("spark.sql.adaptive.enabled" -> "false")(assert(run(again = false) === pruned, query))
    pruned
  }

  private def requireSame(query: String, data: DataFrame, expected: Seq[Row]): Unit =
    withClue(query)(checkAnswer(data, expected))
}
