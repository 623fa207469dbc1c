package io.sparkzorder.command

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.{ClusterableTable, TableSnapshot}
import io.sparkzorder.metrics.{LayoutGain, OptimizeMetrics}
import io.sparkzorder.plan.ColumnPath

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * `OPTIMIZE <table> [WHERE ...] ZORDER BY (...)`: sample, plan, rewrite, compare row counts, commit, report. A dry run
 * goes from the plan to the report.
 *
 * @param predicate
 *   resolved, over partition columns
 */
case class OptimizeZOrderCommand(
    table: ClusterableTable,
    columns: Seq[ColumnPath],
    predicate: Option[Expression],
    options: OptimizeOptions,
    dryRun: Boolean)
    extends LeafRunnableCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("path", StringType)(),
    AttributeReference("metrics", OptimizeMetrics.schema)(),
    AttributeReference("layout", LayoutGain.schema)())

  override def simpleString(maxFields: Int): String =
    s"OptimizeZOrder ${table.name}, [${columns.mkString(", ")}]${predicate.fold("")(p =>
        s", ${p.sql}")}$options${if (dryRun) ", dry run" else ""}"

  override def run(session: SparkSession): Seq[Row] = RewriteSession.run(session)(optimize)

  private def optimize(session: SparkSession): Seq[Row] = {
    val started = System.currentTimeMillis()
    table.configure(session)
    val snapshot = table.snapshot(session)
    snapshot.requireOptimizable(columns)
    val files = snapshot.files(predicate)
    val report = new OptimizeReport(snapshot, columns, files, started)
    if (files.isEmpty) Seq(report.nothingToDo(session))
    else {
      ReadSplits.balance(session, files.map(_.bytes))
      val partitions = files.groupBy(_.partition).values.toIndexedSeq.sortBy(_.head.path)
      val run =
        new OptimizeRun(session, table.name, snapshot, columns, predicate, partitions, targetBytes(session, snapshot))
      val planned = run.plan(curve(session))
      val after =
        if (dryRun) LayoutEstimate.of(planned) else LayoutAfter.measured(run.rewrite(planned), columns, snapshot)
      Seq(report.done(session, partitions, planned.sample, after))
    }
  }

  private def curve(session: SparkSession): Curve =
    Curve.of(options.curve.getOrElse(ZOrderConf.curve(session.sessionState.conf)), columns.length)

  private def targetBytes(session: SparkSession, snapshot: TableSnapshot): Long =
    options.targetFileBytes
      .orElse(snapshot.targetFileBytes)
      .getOrElse(ZOrderConf.targetFileSize(session.sessionState.conf))
}
