package io.sparkzorder.command

import java.util.UUID

import scala.collection.mutable.Growable

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.curve.Curve
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{Clustering, CommitOutcome, DataFile, TableSnapshot}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Carries out an OPTIMIZE: in batches of partitions, each with a commit of its own, and again for the partitions that
 * others changed meanwhile.
 */
private[command] class StatementRun(session: SparkSession, statement: OptimizeZOrderCommand, progress: RunProgress)
    extends Logging {
  import StatementRun._
  import statement.{columns, options, predicate, table}

  private val started = System.currentTimeMillis()
  private val conf = session.sessionState.conf
  private val incremental = options.incremental.getOrElse(ZOrderConf.incremental(conf))
  private val curve = Curve.of(options.curve.getOrElse(ZOrderConf.curve(conf)), columns.length)

  def run(): Seq[Row] = {
    val snapshot = table.snapshot(session)
    snapshot.requireOptimizable(columns)
    val start = Version(snapshot, list(snapshot))
    val earlier = unfinished(start)
    val todo = start.partitions.filterNot(files => earlier.exists(_.done(files.head.partition)))
    val batches = divided(snapshot, todo)
    val (run, before) = earlier.fold((UUID.randomUUID.toString, 0))(e => (e.run, e.batch))
    val results = batches.indices.flatMap { i =>
      val batch = before + i + 1
      // An incremental statement needs no marks to go on: it leaves what it has done.
      val last = if (incremental) batch else before + batches.size
      val clustering = Clustering(columns.map(snapshot.storedNames), curve.name, overlay = false, run, batch, last)
      carryOut(start, i == 0, batches(i), clustering)
    }
    val considered = start.partitions.flatten
    val summary = if (results.isEmpty) Some(NothingToDo.reason(snapshot, statement, curve.name, considered)) else None
    Seq(new OptimizeReport(snapshot, columns, considered, started).row(session, results, summary))
  }

  private def list(snapshot: TableSnapshot): IndexedSeq[IndexedSeq[DataFile]] =
    WorkSelection.byPartition(snapshot.files(predicate))

  /** A statement in batches goes on where one like it was ended. */
  private def unfinished(start: Version): Option[WorkSelection.UnfinishedRun] =
    if (batchBytes(start.snapshot).isEmpty || incremental) None
    else WorkSelection.unfinished(start.partitions, columns.map(start.snapshot.storedNames), curve.name)

  /** Partitions in batches of about as many bytes as asked for; all in one where nobody asks. */
  private def divided(
      snapshot: TableSnapshot,
      partitions: IndexedSeq[IndexedSeq[DataFile]]): IndexedSeq[Set[InternalRow]] = {
    val most = batchBytes(snapshot).getOrElse(Long.MaxValue)
    val batches = partitions.foldLeft(List.empty[(Long, Set[InternalRow])]) { (batches, files) =>
      val (bytes, partition) = (files.map(_.bytes).sum, files.head.partition)
      batches match {
        case (sum, of) :: before if sum + bytes <= most => (sum + bytes, of + partition) :: before
        case _ => (bytes, Set(partition)) :: batches
      }
    }
    batches.map(_._2).reverse.toIndexedSeq
  }

  private def batchBytes(snapshot: TableSnapshot): Option[Long] = options.batchBytes.orElse(snapshot.batchBytes)

  /**
   * Rewrites partitions, and again what others have changed meanwhile, as long as that makes sense.
   *
   * @param start
   *   that with which the statement began
   * @param isFirst
   *   whether these are its first partitions
   */
  private def carryOut(
      start: Version,
      isFirst: Boolean,
      partitions: Set[InternalRow],
      clustering: Clustering): IndexedSeq[RunResult] = {
    val results = IndexedSeq.newBuilder[RunResult]
    var left = partitions
    var conflict = Option.empty[CommitOutcome.Conflict]
    var attempt = 0
    while (left.nonEmpty) {
      // What the first batch is to do is known already; while it ran, others may have changed the rest.
      val now = if (attempt == 0 && isFirst) start else later(start, conflict)
      conflict = rewrite(now, left, clustering, results)
      left = conflict.fold(Set.empty[InternalRow])(_.partitions)
      attempt += 1
      conflict.foreach { c =>
        if (c.isFinal || attempt == MaxAttempts) throw c.cause
        logWarning(
          s"z-order of ${table.name}: ${left.size} partitions were changed meanwhile and are done again",
          c.cause)
      }
    }
    results.result()
  }

  /** The table as it now is, if the statement still means the same. */
  private def later(start: Version, conflict: Option[CommitOutcome.Conflict]): Version = {
    val snapshot = table.snapshot(session)
    if (!meansTheSame(start.snapshot, snapshot))
      throw conflict.fold[Exception](ZOrderErrors.tableChanged(table.name))(_.cause)
    snapshot.requireOptimizable(columns)
    Version(snapshot, list(snapshot))
  }

  /** @return where others have changed files meanwhile */
  private def rewrite(
      now: Version,
      partitions: Set[InternalRow],
      clustering: Clustering,
      results: Growable[RunResult]): Option[CommitOutcome.Conflict] = {
    val snapshot = now.snapshot
    val chosen = now.partitions.filter(files => partitions(files.head.partition))
    val work = selection(snapshot).select(chosen)
    if (work.isEmpty) None
    else {
      ReadSplits.balance(session, work.flatMap(_.rewritten.map(_.bytes)))
      val run =
        new OptimizeRun(session, table.name, snapshot, columns, predicate, work, targetBytes(snapshot), progress)
      val planned = run.plan(curve)
      if (statement.dryRun) {
        results += RunResult(work, planned.sample, LayoutEstimate.of(planned))
        None
      } else {
        val outcome = run.rewrite(planned, clustering)
        val done = work.filterNot(w => outcome.conflict.exists(_.partitions(w.partition)))
        if (done.nonEmpty)
          results += RunResult(done, planned.sample, LayoutAfter.measured(outcome.added, columns, snapshot))
        outcome.conflict
      }
    }
  }

  private def selection(snapshot: TableSnapshot): WorkSelection =
    if (incremental)
      new IncrementalSelection(session, snapshot, columns, curve, targetBytes(snapshot), progress)
    else WorkSelection.Full

  /** Whether the statement means the same in a later version of the table. */
  private def meansTheSame(before: TableSnapshot, now: TableSnapshot): Boolean = {
    def form(snapshot: TableSnapshot) = {
      val schema = snapshot.schema
      val found = columns.map(c => if (c.isIn(schema)) Some((snapshot.storedNames(c), c.dataType(schema))) else None)
      (snapshot.id, snapshot.partitionSchema, found)
    }
    form(before) == form(now)
  }

  private def targetBytes(snapshot: TableSnapshot): Long =
    options.targetFileBytes.orElse(snapshot.targetFileBytes).getOrElse(ZOrderConf.targetFileSize(conf))
}

private[command] object StatementRun {

  /** A version of the table, with the files of each partition among which the statement chooses. */
  private final case class Version(snapshot: TableSnapshot, partitions: IndexedSeq[IndexedSeq[DataFile]])

  // Each costs a rewrite of what others keep changing.
  private val MaxAttempts = 4
}
