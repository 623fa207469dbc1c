// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import scala.collection.mutable.Growable

import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.{
  FileSelection,
  IncrementalSelection,
  RewriteGroup,
  SmallFiles,
  VersionToOptimize
}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusterableTable, Clustering, CommitOutcome}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Rewrites batches of partitions, each with a commit of its own, and again those that concurrent writers changed.
 *
 * @param start
 *   the version with which the statement began
 */
private[command] final class BatchRewrite(
    session: SparkSession,
    table: ClusterableTable,
    command: OptimizeCommand,
    asked: RequestedLayout,
    start: VersionToOptimize,
    progress: RunProgress)
    extends Logging {
  import BatchRewrite._

  /**
   * Rewrites partitions, and retries those that concurrent writers have changed, as long as that makes sense.
   *
   * @param isFirst
   *   whether these are the statement's first partitions
   * @param mark
   *   the record of a run in batches
   */
  def run(
      isFirst: Boolean,
      partitions: Set[InternalRow],
      clustering: Clustering,
      mark: Option[BatchedRun.Mark]): IndexedSeq[CommitResult] = {
    val results = IndexedSeq.newBuilder[CommitResult]
    var left = partitions
    var conflict = Option.empty[CommitOutcome.Conflict]
    var attempt = 0
    while (left.nonEmpty) {
      // What the first batch is to do is known already; concurrent writers may have changed the rest since.
      val now = if (attempt == 0 && isFirst) start else later(conflict)
      conflict = rewrite(now, left, clustering, mark, results)
      left = conflict.fold(Set.empty[InternalRow])(_.partitions)
      attempt += 1
      conflict.foreach { c =>
        if (c.isFinal || attempt == MaxAttempts) throw c.cause
        logWarning(
          s"z-order of ${table.name}: ${left.size} partitions were changed concurrently and are retried",
          c.cause)
      }
    }
    results.result()
  }

  /** The table as it now is, if the statement still means the same there. */
  private def later(conflict: Option[CommitOutcome.Conflict]): VersionToOptimize = {
    val snapshot = table.snapshot(session)
    if (!asked.isSameIn(snapshot))
      throw conflict.fold[Exception](ZOrderErrors.tableChanged(table.name))(_.cause)
    snapshot.requireOptimizable(asked.paths)
    asked.in(snapshot)
  }

  /** @return the partitions that concurrent writers have changed, if any */
  private def rewrite(
      now: VersionToOptimize,
      partitions: Set[InternalRow],
      clustering: Clustering,
      mark: Option[BatchedRun.Mark],
      results: Growable[CommitResult]): Option[CommitOutcome.Conflict] = {
    val groups = selection(now).select(now.partitions.filter(files => partitions(files.head.partition)))
    if (groups.isEmpty) None
    else {
      val sizes = groups.flatMap(_.rewritten.map(_.bytes))
      if (!asked.isCompaction) ReadSplits.balance(session, sizes)
      val batches = if (asked.isIncremental) None else Some(clustering.batches)
      progress.begins(sizes.size, sizes.sum, clustering.batch, batches)
      val run =
        new RewriteRunner(session, table.name, now.snapshot, asked.paths, command.predicate, groups, progress)
      val files = planned(now, run)
      if (command.dryRun) {
        results += CommitResult(groups, files.sample, files.estimate)
        None
      } else {
        val outcome = run.rewrite(files, clustering, mark)
        val done = groups.filterNot(w => outcome.conflict.exists(_.partitions(w.partition)))
        if (done.nonEmpty)
          results += CommitResult(done, files.sample, LayoutAfter.measured(outcome.added, asked.columns))
        outcome.conflict
      }
    }
  }

  private def planned(now: VersionToOptimize, run: RewriteRunner): PlannedFiles =
    if (asked.isCompaction) new GatheredFiles(session, now.snapshot, run)
    else {
      def target(of: RewriteGroup) = now.targetBytes(of.partition)
      new ClusteredFiles(session, now.snapshot, run, asked.columns, asked.curve, target, progress)
    }

  private def selection(now: VersionToOptimize): FileSelection =
    if (asked.isCompaction) new SmallFiles(now.targetBytes)
    else if (!asked.isIncremental) FileSelection.Full
    else
      new IncrementalSelection(
        session,
        now.snapshot,
        asked.columns,
        asked.curve,
        now.targetBytes,
        asked.isOrderOfWriters,
        progress)
}

private object BatchRewrite {

  // Each attempt costs a rewrite of what concurrent writers keep changing.
  private val MaxAttempts = 4
}
