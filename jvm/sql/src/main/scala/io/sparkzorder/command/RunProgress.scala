// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Shows a run in Spark's UI, by a description of each phase's jobs and metrics of the command, and to a client that
 * watches it.
 *
 * @param session
 *   the session of the client, not the one that the statement runs in
 * @param metrics
 *   the metrics of [[RunProgress.metrics]]
 * @param kind
 *   what the run is, in descriptions of its jobs
 */
private[sparkzorder] class RunProgress(
    session: SparkSession,
    tableName: String,
    metrics: Map[String, SQLMetric],
    kind: String = "z-order") {
  import RunProgress._

  private val context = session.sparkContext
  private val watch = ProgressWatch.of(session, tableName)

  private val Description = "spark.job.description"

  /** Runs a phase of the statement; its jobs get its name, and its time is added to `metric`. */
  def phase[T](name: String, metric: String)(body: => T): T = {
    val before = context.getLocalProperty(Description)
    val started = System.nanoTime()
    context.setJobDescription(s"$kind of $tableName: $name")
    try watch.fold(body)(_.during(watched(metric))(body))
    finally {
      context.setJobDescription(before)
      metrics(metric) += (System.nanoTime() - started) / 1000000
    }
  }

  /** The statement goes on with these files, `batch` of `batches`, if that is known. */
  def begins(files: Int, bytes: Long, batch: Int, batches: Option[Int]): Unit =
    watch.foreach(_.begins(files, bytes, batch, batches))

  def add(metric: String, amount: Long): Unit = metrics(metric) += amount

  /** Ends the watch, and sends the metrics, which the driver alone keeps, to the UI. */
  def publish(): Unit = {
    watch.foreach(_.close())
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

  /** The phase that a client sees, by the metric of its time. */
  private def watched(metric: String): ProgressWatch.Phase = metric match {
    case SampleTime | PlanTime => ProgressWatch.Sampling
    case RewriteTime => ProgressWatch.Moving
    case _ => ProgressWatch.Committing
  }

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
