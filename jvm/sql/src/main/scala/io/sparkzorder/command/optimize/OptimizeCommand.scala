// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.{HumanReadable, RunProgress, StatementCommand, StoreRequests}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.ClusterableTable
import io.sparkzorder.plan.{CompactStatement, OptimizeStatement}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StringType

/**
 * `OPTIMIZE <table> [WHERE ...] [ZORDER BY (...)]`: select files, sample, plan, rewrite, compare row counts, commit,
 * report. A dry run goes from the plan to the report.
 *
 * @param columns
 *   the z-order columns; none for a compaction, which makes larger files of small ones and samples nothing
 * @param predicate
 *   the resolved WHERE clause; over partition columns, unless the options say that it chooses files
 */
case class OptimizeCommand(
    table: ClusterableTable,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    options: OptimizeOptions,
    dryRun: Boolean)
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("path", StringType)(),
    AttributeReference("metrics", OptimizeMetrics.schema)(),
    AttributeReference("layout", LayoutGain.schema)(),
    AttributeReference("summary", StringType)()
  )

  override lazy val metrics: Map[String, SQLMetric] = RunProgress.metrics(SparkSession.active.sparkContext)

  /** Whether small files are only put together. */
  def isCompaction: Boolean = columns.isEmpty

  override def simpleString(maxFields: Int): String = {
    val what =
      if (isCompaction) s"Optimize ${table.name}" else s"OptimizeZOrder ${table.name}, [${columns.mkString(", ")}]"
    s"$what${predicate.fold("")(p => s", ${p.sql}")}$options${if (dryRun) ", dry run" else ""}"
  }

  override protected def statement: String = if (isCompaction) CompactStatement.Name else OptimizeStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] = RewriteSession.run(session) { own =>
    val conf = own.sessionState.conf
    options.compression.orElse(ZOrderConf.optimizeCompression(conf)).foreach(ZOrderConf.compress(conf, _))
    options.keepOldMillis.foreach(ZOrderConf.keepOld(conf, _))
    val progress = new RunProgress(session, table.name, metrics, if (isCompaction) "compaction" else "z-order")
    val requests = StoreRequests.of(own, table.location)
    val rows =
      try table.change(own, dryRun)(new OptimizeExecutor(own, _, this, progress).run())
      finally progress.publish()
    rows.map(withRequests(_, requests.flatMap(_.made())))
  }

  /** The row with the requests to a store at the end of its summary, which is its last column. */
  private def withRequests(row: Row, requests: Option[Seq[(String, Long)]]): Row = requests.fold(row) { made =>
    val (summary, more) = (row.toSeq.last.toString, HumanReadable.requests(made))
    Row.fromSeq(row.toSeq.init :+ (if (summary.endsWith(".")) s"$summary $more." else s"$summary; $more"))
  }
}
