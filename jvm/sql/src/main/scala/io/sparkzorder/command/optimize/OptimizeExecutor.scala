// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import scala.collection.mutable.Growable

import io.sparkzorder.column.OrderColumns
import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.{FileSelection, IncrementalSelection, RewriteGroup, SmallFiles}
import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusterableSnapshot, ClusterableTable, Clustering, CommitOutcome, DataFile}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/**
 * Carries out an OPTIMIZE: in batches of partitions, each with a commit of its own, and again for the partitions that
 * concurrent writers changed.
 */
private[command] class OptimizeExecutor(
    session: SparkSession,
    table: ClusterableTable,
    command: OptimizeCommand,
    progress: RunProgress)
    extends Logging {
  import OptimizeExecutor._
  import command.{options, predicate}

  private val first = table.snapshot(session)
  // Analysis may have seen an older version of the table.
  private val columns = command.columns.map(_.in(first.schema).getOrElse(throw ZOrderErrors.tableChanged(table.name)))
  private val paths = columns.map(_.path)

  private val started = System.currentTimeMillis()
  private val conf = session.sessionState.conf
  // A compaction, too, leaves files as they are and knows by itself what it has done.
  private val compacts = command.isCompaction
  private val incremental = compacts || options.incremental.getOrElse(ZOrderConf.incremental(conf))
  private val curveName = options.curve.getOrElse(ZOrderConf.curve(conf))
  private lazy val curve = Curve.of(curveName, columns.length)

  def run(): Seq[Row] = {
    first.requireOptimizable(paths)
    if (incremental && !compacts && !first.recordsClustering) throw ZOrderErrors.withoutClusteringRecord(table.name)
    val start = version(first)
    if (first.doubledFiles.nonEmpty && !options.force) throw ZOrderErrors.doubledRows(table.name, first.doubledFiles)
    val noGain = nothingToGain(start)
    val results = if (noGain.isDefined && keepsFiles) IndexedSeq.empty else rewriteInBatches(start)
    val considered = start.partitions.flatten
    val nothingDone =
      noGain.map(NothingToGain.unchanged).getOrElse(
        if (compacts) NothingToDo.toCompact(first, predicate, start.partitions, start.targetBytes)
        else NothingToDo.reason(first, columns, predicate, curve.name, considered))
    val report = new OptimizeReport(first, columns, considered, started, command.dryRun, undo)
    Seq(report.row(session, results, noGain, nothingDone))
  }

  /** How to undo the run, where the files that it replaced are kept by us: a format with versions needs no hint. */
  private def undo: Option[String] =
    if (command.dryRun || first.keepsReplacedFiles || ZOrderConf.keepOld(conf).isEmpty) None
    else
      Some(s"The replaced files are kept: DESCRIBE REWRITES ${table.nameInSql} shows them, RESTORE TABLE " +
        s"${table.nameInSql} TO BEFORE REWRITE <number> brings them back.")

  private def rewriteInBatches(start: Version): IndexedSeq[CommitResult] = {
    val batches = divided(start)
    batches.partitions.indices.flatMap { i =>
      val number = batches.before + i + 1
      // An incremental statement knows by itself what it has done.
      val last = if (incremental) number else batches.last
      val clustering = Clustering(storedNames, curveName, isLayer = false, batches.run.id, number, last)
      rewriteWithRetries(start, i == 0, batches.partitions(i), clustering, batches.mark(number))
    }
  }

  private def version(snapshot: ClusterableSnapshot): Version = {
    val all = FileSelection.byPartition(snapshot.filesOfPartitions(predicate))
    val partitions =
      if (snapshot.needsEmptyFiles) all.filterNot(FileSelection.recordedRows(_).contains(0L)) else all
    // Where WHERE chooses files, those that it leaves have their share of the partition.
    lazy val whole =
      if (options.overlappingFiles) FileSelection.byPartition(snapshot.filesOfPartitions(None)) else partitions
    lazy val bytes = whole.map(files => files.head.partition -> files.map(_.liveBytes).sum).toMap
    val size = targetFileSize(snapshot)
    def target(partition: InternalRow) =
      size.bytes(bytes(partition), columns.size, !snapshot.partitionSchema.isEmpty)
    Version(snapshot, partitions, target)
  }

  /** Why no query will read less for it, if so; of a run that keeps clustered files this is not known. */
  private def nothingToGain(start: Version): Option[String] = {
    val keepsSome =
      compacts || options.overlappingFiles || (incremental && start.partitions.exists(_.exists(_.clustering.isDefined)))
    if (keepsSome) None else NothingToGain.reason(start.partitions, columns, start.targetBytes)
  }

  /**
   * Whether files are left where they are if nothing can be gained: those that cannot be had back, unless the user asked
   * for the very thing.
   */
  private def keepsFiles: Boolean = {
    val isCompressed = options.compression.isDefined || ZOrderConf.optimizeCompression(conf).isDefined
    val isAsked = options.force || isCompressed || batchBytes.isDefined || targetFileSize(first) != TargetFileSize.Auto
    !first.keepsReplacedFiles && !isAsked
  }

  /** A statement in batches goes on where an interrupted run of the same statement stopped. */
  private def divided(start: Version): Batches = {
    val digest = statementDigest
    batchBytes match {
      case Some(bytes) if !incremental =>
        Batches.continuing(digest, start.partitions, Some(bytes), first.openRun(digest))
      case bytes => Batches.all(digest, start.partitions, bytes)
    }
  }

  /** Of all that decides which files the statement writes; the size of its batches does not. */
  private def statementDigest: String = {
    val names = storedNames.map(_.map(quoteIfNeeded).mkString("."))
    val where = predicate.fold("")(_.sql)
    val choice = options.overlappingFiles.toString
    val size = targetFileSize(first) match {
      case TargetFileSize.Asked(bytes) => bytes.toString
      case TargetFileSize.Auto => TargetFileSize.AutoName
    }
    BatchedRun.digest(Seq(first.id, curveName, size, choice, where) ++ names)
  }

  private def storedNames: Seq[Seq[String]] = paths.map(first.storedNames)

  private def batchBytes: Option[Long] = options.batchBytes.orElse(first.batchBytes)

  /**
   * Rewrites partitions, and retries those that concurrent writers have changed, as long as that makes sense.
   *
   * @param start
   *   the version with which the statement began
   * @param isFirst
   *   whether these are its first partitions
   * @param mark
   *   the record of a run in batches
   */
  private def rewriteWithRetries(
      start: Version,
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
  private def later(conflict: Option[CommitOutcome.Conflict]): Version = {
    val snapshot = table.snapshot(session)
    if (!isCompatible(snapshot))
      throw conflict.fold[Exception](ZOrderErrors.tableChanged(table.name))(_.cause)
    snapshot.requireOptimizable(paths)
    version(snapshot)
  }

  /** @return the partitions that concurrent writers have changed, if any */
  private def rewrite(
      now: Version,
      partitions: Set[InternalRow],
      clustering: Clustering,
      mark: Option[BatchedRun.Mark],
      results: Growable[CommitResult]): Option[CommitOutcome.Conflict] = {
    val snapshot = now.snapshot
    val chosen = now.partitions.filter(files => partitions(files.head.partition))
    val groups = selection(now).select(chosen)
    if (groups.isEmpty) None
    else {
      val sizes = groups.flatMap(_.rewritten.map(_.bytes))
      if (!compacts) ReadSplits.balance(session, sizes)
      progress.begins(sizes.size, sizes.sum, clustering.batch, if (incremental) None else Some(clustering.batches))
      def target(of: RewriteGroup) = now.targetBytes(of.partition)
      val run = new RewriteRunner(session, table.name, snapshot, paths, predicate, groups, progress)
      val planned =
        if (compacts) new GatheredFiles(session, snapshot, run)
        else new ClusteredFiles(session, snapshot, run, columns, curve, target, progress)
      if (command.dryRun) {
        results += CommitResult(groups, planned.sample, planned.estimate)
        None
      } else {
        val outcome = run.rewrite(planned, clustering, mark)
        val done = groups.filterNot(w => outcome.conflict.exists(_.partitions(w.partition)))
        if (done.nonEmpty)
          results += CommitResult(done, planned.sample, LayoutAfter.measured(outcome.added, columns))
        outcome.conflict
      }
    }
  }

  private def selection(now: Version): FileSelection =
    if (compacts) new SmallFiles(now.targetBytes)
    else if (incremental)
      new IncrementalSelection(session, now.snapshot, columns, curve, now.targetBytes, isOrderOfWriters, progress)
    else FileSelection.Full

  /**
   * Whether writers are to put rows into the order that the statement asks for. Of a single file it is not known: it may be
   * older than the order, or of a program without this extension.
   */
  private def isOrderOfWriters: Boolean = curveName == Curve.names.head && table.order.exists { order =>
    order.isZOrder && order.columns.map(OrderColumns.find(_, first.schema, conf.resolver)) == paths.map(Some(_))
  }

  /** Whether the statement means the same in a later version of the table. */
  private def isCompatible(later: ClusterableSnapshot): Boolean = {
    def form(snapshot: ClusterableSnapshot) = {
      val schema = snapshot.schema
      val found = paths.map(c => if (c.isIn(schema)) Some((snapshot.storedNames(c), c.dataType(schema))) else None)
      (snapshot.id, snapshot.partitionSchema, found)
    }
    form(first) == form(later)
  }

  private def targetFileSize(snapshot: ClusterableSnapshot): TargetFileSize =
    options.targetFileSize
      .orElse(snapshot.targetFileBytes.map(TargetFileSize.Asked))
      .getOrElse(ZOrderConf.targetFileSize(conf))
}

private[command] object OptimizeExecutor {

  /**
   * A version of the table, with the files of each partition among which the statement chooses.
   *
   * @param targetBytes
   *   the size of the files of a partition to aim at
   */
  private final case class Version(
      snapshot: ClusterableSnapshot,
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      targetBytes: InternalRow => Long)

  // Each attempt costs a rewrite of what concurrent writers keep changing.
  private val MaxAttempts = 4
}
