// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.{FileSelection, RewriteGroup}
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, Clustering, CommitOutcome, DataFile}
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.layout.incremental.SectionRouter
import io.sparkzorder.move.{ClusterRows, RowCounts}
import io.sparkzorder.sampling.{KeyedRows, PlannedLayout}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, InterpretedOrdering}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One rewrite of some partitions of a table, from sample to commit.
 *
 * @param predicate
 *   the WHERE clause, for the history
 */
private[command] class RewriteRunner(
    session: SparkSession,
    tableName: String,
    snapshot: ClusterableSnapshot,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    chosen: IndexedSeq[RewriteGroup],
    targetFileBytes: RewriteGroup => Long,
    progress: RunProgress)
    extends Logging {

  // In the order of their partitions, so that rows that lie section by section are sorted by their partitions, too.
  private val groups =
    chosen.sortBy(_.partition)(InterpretedOrdering.forSchema(snapshot.partitionSchema.map(_.dataType)))
  private val files = groups.flatMap(_.rewritten)
  private val rewriting = snapshot.rewrite(files, predicate, columns.map(_.path))
  private val rows = new KeyedRows(session, rewriting.input, snapshot.partitionSchema, columns, groups.map(_.partition))
  private val routes = new SectionRouter(groups.map(_.division))
  private val section = rows.section(routes)

  private lazy val expectedRows = FileSelection
    .recordedRows(files)
    .getOrElse(progress.phase("count rows", RunProgress.SampleTime)(rewriting.input.count()))

  /** Draws the sample and plans the layout; reads, but writes nothing. */
  def plan(curve: Curve): PlannedLayout = {
    val sample = progress.phase("sample", RunProgress.SampleTime)(rows.sample(expectedRows, section))
    progress.add(RunProgress.RowsSampled, sample.rows)
    val planned = progress.phase("plan", RunProgress.PlanTime) {
      PlannedLayout.plan(columns, curve, sample, groups.map(g => g.toPlan(targetFileBytes(g))))
    }
    logInfo(s"z-order of $tableName: ${planned.plan}")
    planned
  }

  /**
   * Writes the files as planned, compares rows, commits.
   *
   * @param clustering
   *   the record of files that belong to no layer
   * @param mark
   *   the record of a run in batches, if any
   */
  def rewrite(planned: PlannedLayout, clustering: Clustering, mark: Option[BatchedRun.Mark]): CommitOutcome = {
    val assignment = FileAssignment.of(planned.plan, session.sparkContext.defaultParallelism)
    val partitionColumns = rows.partitionColumns.map(_.asInstanceOf[Attribute])
    val moved = ClusterRows(
      rows.plan.output,
      section,
      rows.columnsInRow,
      planned.ranks,
      planned.curve,
      assignment,
      partitionColumns,
      rows.plan)
    val clusteringOf = new SectionClustering(groups, routes, assignment, clustering)
    val written = progress.phase("rewrite", RunProgress.RewriteTime) {
      rewriting.write(SparkInternals.dataFrame(session, moved), clusteringOf)
    }
    progress.phase("commit", RunProgress.CommitTime) {
      compareRows(written)
      val outcome = rewriting.commit(columns.map(_.path), mark)
      report(written)
      outcome
    }
  }

  /** Gives up before the commit unless every row that was read has been written, in each partition. */
  private def compareRows(written: IndexedSeq[DataFile]): Unit = {
    def rowsOf(files: IndexedSeq[DataFile]): Map[InternalRow, Option[Long]] =
      files.groupBy(_.writtenPartition).map { case (partition, of) => partition -> FileSelection.recordedRows(of) }
    val (before, after) = (rowsOf(files).filterNot(_._2.contains(0L)), rowsOf(written))
    if (before != after || before.values.exists(_.isEmpty))
      // Recorded counts may be wrong, or not kept; the rows themselves decide.
      progress.phase("compare row counts", RunProgress.CommitTime) {
        new RowCounts(
          tableName,
          snapshot.partitionSchema.fieldNames.toSeq).requireSame(rewriting.input, rewriting.output)
      }
  }

  private def report(written: IndexedSeq[DataFile]): Unit = {
    progress.add(RunProgress.FilesRead, files.size)
    progress.add(RunProgress.BytesRead, files.map(_.bytes).sum)
    progress.add(RunProgress.FilesWritten, written.size)
    progress.add(RunProgress.BytesWritten, written.map(_.bytes).sum)
    progress.add(RunProgress.RowsMoved, expectedRows)
  }
}

/**
 * Finds the section of each file that was written, and so the clustering to record of it.
 *
 * @param clustering
 *   the record of files that belong to no layer
 */
private[command] class SectionClustering(
    groups: IndexedSeq[RewriteGroup],
    routes: SectionRouter,
    assignment: FileAssignment,
    clustering: Clustering)
    extends ((Option[Int], InternalRow) => Option[Clustering]) {

  private val numbers: Map[InternalRow, Int] = groups.map(_.partition).zipWithIndex.toMap

  // Sections of one partition never share a task.
  private val layerTasks: Set[(Int, Int)] = (for {
    (partition, number) <- groups.zipWithIndex
    (isLayer, section) <- partition.division.layers.zipWithIndex if isLayer
    task <- assignment.tasksOf(routes.first(number) + section)
  } yield (number, task)).toSet

  /** @return what to record, by task and partition; nothing where the task is not known: the file then counts as new */
  override def apply(task: Option[Int], partition: InternalRow): Option[Clustering] =
    numbers.get(partition).flatMap { number =>
      val layers = groups(number).division.layers
      if (layers.distinct.size == 1) Some(clustering.copy(isLayer = layers.head))
      else task.map(t => clustering.copy(isLayer = layerTasks((number, t))))
    }
}
