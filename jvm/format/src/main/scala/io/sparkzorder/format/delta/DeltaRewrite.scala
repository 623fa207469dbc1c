// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.io.FileNotFoundException
import java.util.ConcurrentModificationException

import scala.util.Try

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{BatchedRun, ClusteringOf, CommitOutcome, DataFile, Rewrite}

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.delta.{DeltaErrors, OptimisticTransaction, RowTracking, Snapshot}
import org.apache.spark.sql.delta.DeltaColumnMapping.getPhysicalName
import org.apache.spark.sql.delta.actions.{AddFile, CommitInfo, Metadata, Protocol}
import org.apache.spark.sql.delta.sources.DeltaSQLConf
import org.apache.spark.sql.delta.util.FileNames
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.TimestampType

/**
 * One OPTIMIZE as a Delta transaction: files are written first, and one commit with `dataChange = false` swaps them.
 *
 * @param predicate
 *   the resolved WHERE clause, for the history
 */
private[delta] class DeltaRewrite(
    name: String,
    session: SparkSession,
    snapshot: Snapshot,
    catalogTable: Option[CatalogTable],
    files: IndexedSeq[DeltaFile],
    predicate: Option[Expression])
    extends Rewrite {

  private val log = snapshot.deltaLog

  // Delta resolves the names itself, and prints them in the history.
  private val predicates = predicate.toSeq.map(_.transform { case a: AttributeReference =>
    UnresolvedAttribute(Seq(a.name))
  })

  private val transaction = new EncodedTransaction(session, catalogTable, snapshot)

  private var written = IndexedSeq.empty[DeltaFile]

  override lazy val input: DataFrame = {
    val rows = log.createDataFrame(snapshot, files.map(_.action), actionTypeOpt = Some("Optimize"))
    RowTracking.preserveRowTrackingColumns(rows, snapshot)
  }

  override def write(
      rows: DataFrame,
      clusteringOf: ClusteringOf): IndexedSeq[DataFile] = {
    val reader = new DeltaFileReader(session, snapshot)
    def action(file: AddFile, statistics: Option[String]) = {
      val clustering = clusteringOf(DeltaClustering.taskOf(file), reader.file(file).partition)
      DeltaActions.rewritten(file, statistics, DeltaClustering.tags(clustering))
    }
    val statistics = new DeltaFooterStatistics(session, snapshot)
    val added = inPartitionsOwnZone {
      if (isEncoded) transaction.writeEncoded(rows, fromRows = !statistics.suffice)
      else if (statistics.suffice) withoutRowStatistics(transaction.writeByDelta(rows))
      else transaction.writeByDelta(rows)
    }
    val actions =
      if (!statistics.suffice) added.map(action(_, None))
      else added.zip(statistics.of(added)).collect { case (file, Some(text)) => action(file, Some(text)) }
    written = actions.map(reader.file)
    written
  }

  private def isEncoded: Boolean =
    ZOrderConf.optimizesByEncoder(session.sessionState.conf) && EncodedTransaction.fits(snapshot)

  /** Delta asks this setting of the session, which is the rewrite's own. */
  private def withoutRowStatistics[T](body: => T): T =
    having(DeltaSQLConf.DELTA_COLLECT_STATS.key, "false")(body)

  /**
   * Delta's writer knows a partition by its text in the session's time zone, where two instants have one text when clocks
   * are set back. In UTC none have; but partitions whose texts in the log name no zone are those of the session's.
   */
  private def inPartitionsOwnZone[T](body: => T): T = {
    val timestamps = snapshot.metadata.partitionSchema.filter(_.dataType == TimestampType).map(getPhysicalName)
    val texts = files.flatMap(f => timestamps.flatMap(f.action.partitionValues.get).filter(_ != null))
    val isUtc = texts.nonEmpty && texts.forall(_.endsWith("Z")) &&
      session.sessionState.conf.getConf(DeltaSQLConf.UTC_TIMESTAMP_PARTITION_VALUES)
    if (isUtc) having(SQLConf.SESSION_LOCAL_TIMEZONE.key, "UTC")(body) else body
  }

  private def having[T](key: String, value: String)(body: => T): T = {
    val before = session.conf.getOption(key)
    session.conf.set(key, value)
    try body
    finally before.fold(session.conf.unset(key))(session.conf.set(key, _))
  }

  override def output: DataFrame = log.createDataFrame(snapshot, written.map(_.action))

  override def commit(columns: Seq[ColumnPath], mark: Option[BatchedRun.Mark]): CommitOutcome = {
    requireSameLog()
    val replacement = new DeltaReplacement(session, snapshot, predicates, columns, files, written, mark)
    // Delta lets some changes of a table pass, such as row tracking being enabled, that these files know nothing of.
    if (replacement.fits(log.update())) commit(replacement, transaction, None)
    else CommitOutcome(IndexedSeq.empty, Some(CommitOutcome.Conflict(replacement.partitions, tableAltered)))
  }

  private def tableAltered: Exception = {
    val since = Try(log.getChanges(snapshot.version + 1).map(_._2).toSeq).getOrElse(Nil)
    val theirs = since.find(_.exists(a => a.isInstanceOf[Metadata] || a.isInstanceOf[Protocol]))
    DeltaErrors.metadataChangedException(name, theirs.flatMap(_.collectFirst { case info: CommitInfo => info }))
  }

  /**
   * Where the table was deleted and recreated, its log may be as short as it was for us. Delta then sees no conflict,
   * and the old table's rows would be in the new one.
   */
  private def requireSameLog(): Unit = {
    val file = FileNames.unsafeDeltaFile(log.logPath, snapshot.version)
    val hadThen = snapshot.logSegment.lastCommitFileModificationTimestamp
    val hasNow =
      try Some(file.getFileSystem(log.newDeltaHadoopConf()).getFileStatus(file).getModificationTime)
      // Cleaned up or deleted; Delta's commit says which.
      catch { case _: FileNotFoundException => None }
    // MinIO and others list milliseconds, and report whole seconds for a single file. That of another log is later.
    val inSeconds = Math.floorDiv(hadThen, 1000L) * 1000L
    if (hasNow.exists(now => now != hadThen && now != inSeconds)) throw ZOrderErrors.tableChanged(name)
  }

  /** Commits, and retries on top of a concurrent commit the partitions that it has not changed. */
  @scala.annotation.tailrec
  private def commit(
      replacement: DeltaReplacement,
      on: OptimisticTransaction,
      before: Option[CommitOutcome.Conflict]): CommitOutcome = {
    val failure =
      try {
        replacement.commit(on)
        None
      } catch { case e: ConcurrentModificationException => Some(e) }
    failure match {
      case None => CommitOutcome(replacement.added, before)
      case Some(e) =>
        val next = log.startTransaction(catalogTable)
        val intact = replacement.intact(next.snapshot)
        val lost = before.fold(Set.empty[InternalRow])(_.partitions) ++ replacement.partitions.diff(intact.partitions)
        val conflict = if (lost.isEmpty) None else Some(CommitOutcome.Conflict(lost, e))
        if (intact.partitions.isEmpty) CommitOutcome(IndexedSeq.empty, conflict) else commit(intact, next, conflict)
    }
  }
}
