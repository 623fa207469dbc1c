// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.{FileSelection, RewriteGroup}
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, Clustering, CommitOutcome, DataFile}
import io.sparkzorder.move.RowCounts

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, InterpretedOrdering}
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One rewrite of some partitions of a table, from their rows to the commit.
 *
 * @param columns
 *   the z-order columns, which a format records, and of which Parquet's index gets statistics
 * @param predicate
 *   the WHERE clause, for the history
 */
private[command] class RewriteRunner(
    session: SparkSession,
    val tableName: String,
    snapshot: ClusterableSnapshot,
    columns: Seq[ColumnPath],
    predicate: Option[Expression],
    chosen: IndexedSeq[RewriteGroup],
    progress: RunProgress) {

  /** In the order of their partitions, so that rows that lie section by section are sorted by their partitions, too. */
  val groups: IndexedSeq[RewriteGroup] =
    chosen.sortBy(_.partition)(InterpretedOrdering.forSchema(snapshot.partitionSchema.map(_.dataType)))

  private val files = groups.flatMap(_.rewritten)
  private val rewriting = snapshot.rewrite(files, predicate, columns)

  /** Every row of the files to rewrite. */
  def input: DataFrame = rewriting.input

  /** The number of these rows. */
  lazy val expectedRows: Long = FileSelection
    .recordedRows(files)
    .getOrElse(progress.phase("count rows", RunProgress.SampleTime)(rewriting.input.count()))

  /**
   * Writes the files as planned, compares rows, commits.
   *
   * @param clustering
   *   the record of files that belong to no layer
   * @param mark
   *   the record of a run in batches, if any
   */
  def rewrite(planned: PlannedFiles, clustering: Clustering, mark: Option[BatchedRun.Mark]): CommitOutcome = {
    val moved = planned.rows
    val clusteringOf = planned.clusteringOf(clustering)
    val written = progress.phase("rewrite", RunProgress.RewriteTime) {
      rewriting.write(SparkInternals.dataFrame(session, moved), clusteringOf)
    }
    progress.phase("commit", RunProgress.CommitTime) {
      compareRows(written)
      val outcome = rewriting.commit(columns, mark)
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
