// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.{Versions, ZOrderConf}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusteringOf, CommitOutcome, DataFile, Rewrite}
import io.sparkzorder.format.iceberg.listing.{ClusteringInName, IcebergFile, IcebergRuns, TableBranch, TableForm}
import io.sparkzorder.move.RowCounts

import org.apache.iceberg.{DeleteFile, RewriteFiles, Snapshot, SortOrder, Table}
import org.apache.iceberg.exceptions.{
  BadRequestException,
  CleanableFailure,
  CommitFailedException,
  ForbiddenException,
  NotAuthorizedException
}
import org.apache.iceberg.spark.SparkWriteOptions
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * One OPTIMIZE of files of an Iceberg table: Iceberg reads and writes them, in the tasks and the order that they come in,
 * and one `RewriteFiles` swaps them.
 *
 * @param form
 *   of the table when the files to rewrite were listed
 * @param snapshot
 *   the snapshot whose files are rewritten
 * @param files
 *   all of what the rewritten files have
 * @param leftOut
 *   partitions of which files stay that the statement does not know: new files there count as new
 * @param dropped
 *   the deletes that go with them
 */
private[iceberg] final class IcebergRewrite(
    name: String,
    session: SparkSession,
    table: Table,
    form: TableForm,
    branch: TableBranch,
    snapshot: Snapshot,
    from: RowsToRewrite,
    files: IndexedSeq[IcebergFile],
    leftOut: Set[InternalRow],
    dropped: Seq[DeleteFile],
    writes: OpenWrites)
    extends Rewrite {

  import form.{partitions, spec}

  // In the names of the files.
  private val writeId = s"zorder-${from.read.id}"

  private val (swapped, tracker) = CommitTracker.of(table).fold((table, Option.empty[CommitTracker])) {
    case (tracked, tracker) => (tracked, Some(tracker))
  }

  private val begun = System.currentTimeMillis
  private var written = IndexedSeq.empty[IcebergFile]
  private var curve = Option.empty[String]

  override def input: DataFrame = from.rows

  override def write(
      rows: DataFrame,
      clusteringOf: ClusteringOf): IndexedSeq[DataFile] = {
    requireSameTable()
    val values = files.map(_.partition)
    curve = values.headOption.flatMap(p => clusteringOf(None, p).orElse(clusteringOf(Some(0), p))).map(_.curve)
    val named = ClusteringInName.of(table).fold(table) { inName =>
      TableWithNamedFiles.of(
        table,
        partitions,
        values.filterNot(leftOut),
        clusteringOf,
        inName.text(_, snapshot.sequenceNumber))
    }
    writes.begins(writeId)
    val added = new IcebergWriter(session, named, from.read.id, writeId, writeOptions)
      .write(SparkInternals.plan(rows), from.columnsInFiles)
    writes.wrote(writeId, added.map(_.location))
    written = added.map { f =>
      val partition = partitions.of(f)
      new IcebergFile(f, None, partition, partitions.nameOf(partition), form.schema)
    }
    written
  }

  private def writeOptions: Map[String, String] = Map(
    SparkWriteOptions.OUTPUT_SPEC_ID -> spec.specId.toString,
    // A task has the rows of one file of each partition, which are in no order that the table knows.
    SparkWriteOptions.TARGET_FILE_SIZE_BYTES -> Long.MaxValue.toString,
    SparkWriteOptions.USE_TABLE_DISTRIBUTION_AND_ORDERING -> "false",
    SparkWriteOptions.OUTPUT_SORT_ORDER_ID -> SortOrder.unsorted.orderId.toString,
    // Rows come partition by partition.
    SparkWriteOptions.FANOUT_ENABLED -> "false"
  ) ++ ZOrderConf.optimizeCompression(session.sessionState.conf).toSeq.flatMap { compression =>
    Seq(SparkWriteOptions.COMPRESSION_CODEC -> compression.codec) ++
      compression.level.map(level => SparkWriteOptions.COMPRESSION_LEVEL -> level.toString)
  }

  /** The files are of the columns and the partitions that the table had when the statement began. */
  private def requireSameTable(): Unit =
    if (!form.isNow(table)) throw ZOrderErrors.tableChanged(name)

  /** As the writer counted them. */
  override def output: DataFrame = {
    val attributes = toAttributes(partitions.columns) :+ AttributeReference(RowCounts.Rows, LongType)()
    val types = partitions.columns.map(_.dataType)
    val rows = written.map { file =>
      InternalRow.fromSeq(types.indices.map(i => file.partition.get(i, types(i))) :+ file.file.recordCount)
    }
    SparkInternals.dataFrame(session, LocalRelation(attributes, rows))
  }

  override def commit(by: Seq[ColumnPath], mark: Option[BatchedRun.Mark]): CommitOutcome = {
    @tailrec def attempt(left: Int): CommitOutcome = {
      requireThere()
      Try(replacement(by, mark).commit()) match {
        case Success(_) => taken
        // Others commit all the time, by Iceberg's own counting; the rows that were rewritten are as they were.
        case Failure(_: CommitFailedException) if left > 0 && isCommitted.contains(false) => attempt(left - 1)
        case Failure(e: Exception) => outcomeAfter(e)
        case Failure(e) => throw e
      }
    }
    requireWritten()
    // Whatever was thrown, also by an error, may come after the catalog has taken the commit: files stay that were not given up.
    try attempt(IcebergRewrite.Attempts - 1)
    finally writes.release(writeId)
  }

  private def requireWritten(): Unit = if (System.currentTimeMillis - begun > IcebergRewrite.YoungMillis) {
    val gone = writes.gone(writeId)
    if (gone.nonEmpty) {
      writes.giveUp(writeId)
      throw ZOrderErrors.icebergFilesGone(name, gone)
    }
  }

  /** `toBranch` would create a branch that has been dropped concurrently, without a word. */
  private def requireThere(): Unit =
    try branch.requireThere()
    catch {
      case NonFatal(e) =>
        writes.giveUp(writeId)
        throw e
    }

  private def taken: CommitOutcome = CommitOutcome(written, None)

  /**
   * By some exceptions Iceberg says that nothing has come into the table, and deletes what it had written for the commit. It
   * goes by the catalog's answer, and a catalog may have taken what it refuses; after any other one it may have taken the
   * commit, too. So the table is asked; where it does not answer, the files stay.
   */
  private def outcomeAfter(failure: Exception): CommitOutcome = (failure, isCommitted) match {
    case (e, Some(false)) if isRefusal(e) =>
      writes.giveUp(writeId)
      throw ZOrderErrors.icebergCommitRefused(name, reason(failure), failure)
    case (_: CleanableFailure, Some(false)) =>
      writes.giveUp(writeId)
      val conflict = ZOrderErrors.icebergConflict(name, reason(failure), failure)
      CommitOutcome(IndexedSeq.empty, Some(CommitOutcome.Conflict(files.map(_.partition).toSet, conflict)))
    case (_, Some(false)) if !wasAsked =>
      writes.giveUp(writeId)
      throw ZOrderErrors.icebergCommitFailed(name, reason(failure), failure)
    // Only the answer was lost.
    case (e, Some(true)) if !e.isInstanceOf[CleanableFailure] => taken
    // What is not there may come yet.
    case _ => throw ZOrderErrors.icebergCommitUnknown(name, reason(failure), failure)
  }

  /** What will not be taken at the next attempt either. */
  private def isRefusal(failure: Exception): Boolean = failure match {
    case _: NotAuthorizedException | _: ForbiddenException | _: BadRequestException => true
    case _ => false
  }

  private def isCommitted: Option[Boolean] =
    if (wasAsked) new WrittenCommit(table, branch, snapshot, writeId).isThere(written.map(_.path).toSet)
    else Some(false)

  private def wasAsked: Boolean = tracker.forall(_.wasAsked)

  private def reason(e: Exception): String =
    Option(e.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(e.getClass.getName).stripSuffix(".")

  private def replacement(by: Seq[ColumnPath], mark: Option[BatchedRun.Mark]): RewriteFiles = {
    // What is deleted by an equality after that version goes for the new files, too.
    val swap =
      swapped.newRewrite().validateFromSnapshot(snapshot.snapshotId).dataSequenceNumber(snapshot.sequenceNumber)
    branch.name.foreach(swap.toBranch)
    val tasks = files.distinctBy(_.path).flatMap(_.task)
    val changesSpec = tasks.exists(_.file.specId != spec.specId)
    val areUnnumbered = tasks.exists(_.file.firstRowId == null)
    swap.validateWith(new LaterCommits(table, snapshot, tasks.map(_.file.location).toSet, changesSpec, areUnnumbered))
    tasks.foreach(task => swap.deleteFile(task.file))
    dropped.foreach(delete => swap.deleteFile(delete))
    written.foreach(f => swap.addFile(f.file))
    (summary(by) ++ mark.map(IcebergRuns.summary).getOrElse(Map.empty)).foreach { case (key, value) =>
      swap.set(key, value)
    }
    swap
  }

  private def summary(by: Seq[ColumnPath]): Map[String, String] = SnapshotProperties.of(session) ++ Map(
    "spark.app.id" -> session.sparkContext.applicationId,
    "spark-zorder.version" -> Versions("project"),
    WrittenCommit.Id -> writeId,
    "spark-zorder.columns" -> by.mkString(", ")
  ) ++ curve.map("spark-zorder.curve" -> _)
}

private object IcebergRewrite {

  // What others delete as orphans is some hours old.
  private val YoungMillis = 3600000L

  // Each with Iceberg's own, `commit.retry.num-retries`.
  private val Attempts = 4
}
