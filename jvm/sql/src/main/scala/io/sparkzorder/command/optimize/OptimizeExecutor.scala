// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.{Batches, VersionToOptimize}
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, Clustering}

import org.apache.spark.sql.{Row, SparkSession}

/** Carries out an OPTIMIZE: finds out whether there is anything to do, rewrites in batches of partitions, and reports. */
private[command] class OptimizeExecutor(
    session: SparkSession,
    table: ClusterableTable,
    command: OptimizeCommand,
    progress: RunProgress) {
  import command.{options, predicate}

  private val first = table.snapshot(session)
  private val asked = new RequestedLayout(session, table, command, first)
  private val started = System.currentTimeMillis()

  def run(): Seq[Row] = {
    first.requireOptimizable(asked.paths)
    if (asked.isIncremental && !asked.isCompaction && !first.recordsClustering)
      throw ZOrderErrors.withoutClusteringRecord(table.name)
    val start = asked.in(first)
    first.doubledRows.filterNot(_ => options.force)
      .foreach(d => throw ZOrderErrors.doubledRows(table.name, d.named, d.advice))
    val noGain = nothingToGain(start)
    // Where nothing can be gained, files stay that cannot be had back, unless the user asked for the very thing.
    val keepsFiles = noGain.isDefined && !first.keepsReplacedFiles && !asked.isForNewFiles
    val results = if (keepsFiles) IndexedSeq.empty else rewriteInBatches(start)
    val considered = start.partitions.flatten
    def nothingDone =
      noGain.map(NothingToGain.unchanged).getOrElse(
        if (asked.isCompaction) NothingToDo.toCompact(first, predicate, start.partitions, start.targetBytes)
        else NothingToDo.reason(first, asked.columns, predicate, asked.curve.name, considered))
    val report = new OptimizeReport(first, asked.columns, considered, started, command.dryRun, undo)
    Seq(report.row(session, results, noGain, nothingDone))
  }

  /** How to undo the run, where the files that it replaced are kept by us: a format with versions needs no hint. */
  private def undo: Option[String] =
    if (command.dryRun || first.keepsReplacedFiles || ZOrderConf.keepOld(session.sessionState.conf).isEmpty) None
    else
      Some(s"The replaced files are kept: DESCRIBE REWRITES ${table.nameInSql} shows them, RESTORE TABLE " +
        s"${table.nameInSql} TO BEFORE REWRITE <number> brings them back.")

  private def rewriteInBatches(start: VersionToOptimize): IndexedSeq[CommitResult] = {
    val batches = divided(start)
    val rewrite = new BatchRewrite(session, table, command, asked, start, progress)
    batches.partitions.indices.flatMap { i =>
      val number = batches.before + i + 1
      // An incremental statement knows by itself what it has done.
      val last = if (asked.isIncremental) number else batches.last
      val clustering =
        Clustering(asked.storedNames, asked.curveName, isLayer = false, batches.run.id, number, last)
      rewrite.run(i == 0, batches.partitions(i), clustering, batches.mark(number))
    }
  }

  /** Why no query will read less for it, if so; of a run that keeps clustered files this is not known. */
  private def nothingToGain(start: VersionToOptimize): Option[String] = {
    def hasClustered = start.partitions.exists(_.exists(_.clustering.isDefined))
    val keepsSome = asked.isCompaction || options.overlappingFiles || (asked.isIncremental && hasClustered)
    if (keepsSome) None else NothingToGain.reason(start.partitions, asked.columns, start.targetBytes)
  }

  /** A statement in batches goes on where an interrupted run of the same statement stopped. */
  private def divided(start: VersionToOptimize): Batches = asked.batchBytes match {
    case Some(bytes) if !asked.isIncremental =>
      Batches.continuing(asked.digest, start.partitions, Some(bytes), first.openRun(asked.digest))
    case bytes => Batches.all(asked.digest, start.partitions, bytes)
  }
}
