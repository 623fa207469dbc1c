package io.sparkzorder.format.delta

import java.util.ConcurrentModificationException

import io.sparkzorder.format.{DataFile, Rewrite}
import io.sparkzorder.plan.ColumnPath

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.delta.{DeltaCommitTag, DeltaOperations, OptimisticTransaction, RowTracking, Snapshot}
import org.apache.spark.sql.delta.actions.{Action, AddFile}
import org.apache.spark.sql.delta.sources.DeltaSQLConf

/**
 * One OPTIMIZE as a Delta transaction: files are written first, and one commit with `dataChange = false` swaps them.
 *
 * @param predicate
 *   resolved, over partition columns
 */
private[delta] class DeltaRewrite(
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

  private var transaction = register(log.startTransaction(catalogTable, Some(snapshot)))

  private var written = IndexedSeq.empty[AddFile]

  private def register(txn: OptimisticTransaction): OptimisticTransaction = {
    txn.trackFilesRead(files.map(_.action))
    txn.trackReadPredicates(predicates)
    txn
  }

  override lazy val input: DataFrame = {
    val rows = log.createDataFrame(snapshot, files.map(_.action), actionTypeOpt = Some("Optimize"))
    RowTracking.preserveRowTrackingColumns(rows, snapshot)
  }

  override def write(rows: DataFrame): IndexedSeq[DataFile] = {
    val statistics = new DeltaFooterStatistics(session, snapshot)
    written =
      if (!statistics.suffice) writeFiles(rows).map(DeltaActions.rewritten(_))
      else {
        val files = withoutRowStatistics(writeFiles(rows))
        files.zip(statistics.of(files)).collect { case (file, Some(text)) => DeltaActions.rewritten(file, Some(text)) }
      }
    val reader = new DeltaFileReader(session, snapshot)
    written.map(reader.file)
  }

  private def writeFiles(rows: DataFrame): IndexedSeq[AddFile] =
    transaction.writeFiles(rows, None, isOptimize = true, Nil).toIndexedSeq.map {
      case a: AddFile => a
      case other => throw new IllegalStateException(s"A rewrite of files wrote ${other.getClass.getSimpleName}")
    }

  /** Delta asks this setting of the session, which is the rewrite's own. */
  private def withoutRowStatistics[T](body: => T): T = {
    val key = DeltaSQLConf.DELTA_COLLECT_STATS.key
    session.conf.set(key, "false")
    try body
    finally session.conf.set(key, "true")
  }

  override def rowsWritten(): Long = log.createDataFrame(snapshot, written).count()

  override def commit(columns: Seq[ColumnPath]): Unit = {
    val timestamp = System.currentTimeMillis()
    val removed = files.map(_.action.removeWithTimestamp(timestamp, dataChange = false))
    val operation = DeltaOperations.Optimize(predicates, columns.map(_.toString))
    commit(written ++ removed, operation)
  }

  /** Commits, and commits again on top of another's commit as long as that left our files alone. */
  @scala.annotation.tailrec
  private def commit(actions: Seq[Action], operation: DeltaOperations.Operation): Unit = {
    val conflict =
      try {
        transaction.registerSQLMetrics(
          session,
          DeltaHistoryMetrics.of(session.sparkContext, files.map(_.action), written))
        transaction.commit(actions, operation, tags)
        None
      } catch { case e: ConcurrentModificationException => Some(e) }
    conflict match {
      case None => ()
      case Some(e) =>
        val next = log.startTransaction(catalogTable)
        if (!stillHolds(next)) throw e
        transaction = register(next)
        commit(actions, operation)
    }
  }

  /** The commit says that rows kept their ids, so that row tracking can rely on it. */
  private def tags: Map[String, String] =
    if (!RowTracking.isEnabled(snapshot.protocol, snapshot.metadata)) Map.empty
    else Map(DeltaCommitTag.PreservedRowTrackingTag.key -> true.toString)

  /** Whether every file we read is still part of the table, with the same rows deleted, under the same schema. */
  private def stillHolds(next: OptimisticTransaction): Boolean = {
    def key(f: AddFile) = (f.pathAsUri, f.getDeletionVectorUniqueId)
    val now = next.snapshot.filesForScan(predicates).files.map(key).toSet
    next.metadata.schema == snapshot.metadata.schema &&
    next.metadata.partitionColumns == snapshot.metadata.partitionColumns &&
    files.forall(f => now(key(f.action)))
  }
}
