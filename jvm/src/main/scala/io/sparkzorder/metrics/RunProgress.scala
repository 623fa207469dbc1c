// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.metrics

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Shows a run in Spark's UI: a description of each phase's jobs, and metrics of the command.
 *
 * @param metrics
 *   the metrics of [[RunProgress.metrics]]
 */
private[sparkzorder] class RunProgress(context: SparkContext, tableName: String, metrics: Map[String, SQLMetric]) {

  private val Description = "spark.job.description"

  /** Runs a phase of the statement; its jobs get its name, and its time is added to `metric`. */
  def phase[T](name: String, metric: String)(body: => T): T = {
    val before = context.getLocalProperty(Description)
    val started = System.nanoTime()
    context.setJobDescription(s"z-order of $tableName: $name")
    try body
    finally {
      context.setJobDescription(before)
      metrics(metric) += (System.nanoTime() - started) / 1000000
    }
  }

  def add(metric: String, amount: Long): Unit = metrics(metric) += amount

  /** Sends the metrics, which the driver alone keeps, to the UI. */
  def publish(): Unit = {
    val execution = context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(context, execution, metrics.values.toSeq)
  }
}

private[sparkzorder] object RunProgress {

  val FilesRead = "filesRead"
  val BytesRead = "bytesRead"
  val RowsMoved = "rowsMoved"
  val RowsSampled = "rowsSampled"
  val FilesWritten = "filesWritten"
  val BytesWritten = "bytesWritten"
  val SampleTime = "sampleTime"
  val PlanTime = "planTime"
  val RewriteTime = "rewriteTime"
  val CommitTime = "commitTime"

  /** New metrics, as the UI names them: times in milliseconds, on the driver's clock. */
  def metrics(context: SparkContext): Map[String, SQLMetric] = {
    def count(name: String) = SQLMetrics.createMetric(context, name)
    def bytes(name: String) = SQLMetrics.createSizeMetric(context, name)
    def time(name: String) = SQLMetrics.createTimingMetric(context, name)
    Map(
      FilesRead -> count("number of files read"),
      BytesRead -> bytes("bytes read"),
      RowsMoved -> count("number of rows moved"),
      RowsSampled -> count("number of sampled rows"),
      FilesWritten -> count("number of files written"),
      BytesWritten -> bytes("bytes written"),
      SampleTime -> time("time to sample"),
      PlanTime -> time("time to plan"),
      RewriteTime -> time("time to rewrite"),
      CommitTime -> time("time to compare rows and commit")
    )
  }
}
