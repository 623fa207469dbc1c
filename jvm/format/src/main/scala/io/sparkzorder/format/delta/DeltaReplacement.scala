// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.net.URI

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.BatchedRun

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.delta.{DeltaCommitTag, DeltaOperations, OptimisticTransaction, RowTracking, Snapshot}
import org.apache.spark.sql.delta.actions.{AddFile, Metadata, SetTransaction}
import org.apache.spark.sql.delta.sources.DeltaSourceUtils
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{MetadataBuilder, StructField}

/**
 * Files to take out of a table and files that hold the same rows to put in, partition by partition.
 *
 * @param snapshot
 *   the version at which `removed` were read
 * @param predicates
 *   the unresolved WHERE clause, for the history
 * @param mark
 *   the record of a run in batches, if any
 */
private[delta] class DeltaReplacement(
    session: SparkSession,
    snapshot: Snapshot,
    predicates: Seq[Expression],
    columns: Seq[ColumnPath],
    removed: IndexedSeq[DeltaFile],
    val added: IndexedSeq[DeltaFile],
    mark: Option[BatchedRun.Mark]) {

  val partitions: Set[InternalRow] = removed.map(_.partition).toSet

  /** @throws java.util.ConcurrentModificationException where concurrent commits since `on` began conflict */
  def commit(on: OptimisticTransaction): Unit = {
    val (old, fresh) = (removed.map(_.action), added.map(_.action))
    on.trackFilesRead(old)
    on.registerSQLMetrics(session, DeltaHistoryMetrics.of(session.sparkContext, old, fresh))
    val timestamp = System.currentTimeMillis()
    val actions =
      fresh ++ old.map(_.removeWithTimestamp(timestamp, dataChange = false)) ++ mark.map(DeltaRunRecord.action)
    on.commit(actions, DeltaOperations.Optimize(predicates, columns.map(_.toString)), tags)
  }

  /**
   * What is left of this where all that was read of a partition is in the table as it was. Nothing is left where a file was
   * written to a partition of which none was read: nobody could know whose rows it has.
   */
  def intact(now: Snapshot): DeltaReplacement = {
    def key(f: AddFile) = (f.pathAsUri, f.getDeletionVectorUniqueId)
    val there: Set[(URI, Option[String])] =
      if (fits(now)) now.allFiles.collect().map(key).toSet else Set.empty
    val read = removed.groupBy(_.writtenPartition)
    val kept =
      if (!added.forall(f => read.contains(f.writtenPartition))) Set.empty[InternalRow]
      else read.filter(_._2.forall(f => there(key(f.action)))).keySet
    new DeltaReplacement(
      session,
      snapshot,
      predicates,
      columns,
      removed.filter(f => kept(f.writtenPartition)),
      added.filter(f => kept(f.writtenPartition)),
      // A lost partition is still to be rewritten.
      mark.map(m => m.copy(finished = m.finished && kept.size == read.size))
    )
  }

  /** Whether files that were written for the one version fit into another. */
  def fits(now: Snapshot): Boolean = {
    def form(m: Metadata) = (m.id, m.schema.map(withoutWatermark), m.partitionColumns, m.configuration)
    form(now.metadata) == form(snapshot.metadata) && now.protocol == snapshot.protocol
  }

  /** An append to a table with an identity column moves that column's watermark, which is part of the schema. */
  private def withoutWatermark(field: StructField): StructField = field.copy(metadata =
    new MetadataBuilder().withMetadata(field.metadata).remove(DeltaSourceUtils.IDENTITY_INFO_HIGHWATERMARK).build())

  /** The commit says that rows kept their ids, so that row tracking can rely on it. */
  private def tags: Map[String, String] =
    if (!RowTracking.isEnabled(snapshot.protocol, snapshot.metadata)) Map.empty
    else Map(DeltaCommitTag.PreservedRowTrackingTag.key -> true.toString)
}

/** The `operationMetrics` of an OPTIMIZE in Delta's history. */
private[delta] object DeltaHistoryMetrics {

  /** @return the metrics that Delta records for OPTIMIZE, by their names in the history */
  def of(context: SparkContext, removed: Seq[AddFile], added: Seq[AddFile]): Map[String, SQLMetric] = {
    val vectors = removed.flatMap(f => Option(f.deletionVector))
    val sizes = added.map(_.size).sorted
    def percentile(quarter: Int) = if (sizes.isEmpty) 0L else sizes(sizes.size * quarter / 4)
    Map(
      "minFileSize" -> sizes.headOption.getOrElse(0L),
      "p25FileSize" -> percentile(1),
      "p50FileSize" -> percentile(2),
      "p75FileSize" -> percentile(3),
      "maxFileSize" -> sizes.lastOption.getOrElse(0L),
      "numAddedFiles" -> added.size.toLong,
      "numRemovedFiles" -> removed.size.toLong,
      "numAddedBytes" -> sizes.sum,
      "numRemovedBytes" -> removed.map(_.size).sum,
      "numDeletionVectorsRemoved" -> vectors.size.toLong,
      "numDeletionVectorRowsRemoved" -> vectors.map(_.cardinality).sum,
      "numDeletionVectorBytesRemoved" -> vectors.map(_.sizeInBytes.toLong).sum
    ).map { case (name, value) =>
      val metric = SQLMetrics.createMetric(context, name)
      metric.set(value)
      name -> metric
    }
  }
}

/**
 * Which run in batches is under way, as an application's transaction in Delta's log: the latest number for each
 * identifier, which checkpoints keep. It is written in the commit of the batch itself.
 */
private[delta] object DeltaRunRecord {

  def open(snapshot: Snapshot, statement: String): Option[BatchedRun] =
    snapshot.transactions
      .get(application(BatchedRun.slot(statement)))
      .filter(_ > 0)
      .map(BatchedRun(statement, _))

  def action(mark: BatchedRun.Mark): SetTransaction =
    SetTransaction(application(mark.run.slot), mark.recorded, Some(System.currentTimeMillis()))

  private def application(slot: Int): String = s"io.sparkzorder.optimize.$slot"
}
