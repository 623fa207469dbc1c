// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.config.{Compression, ZOrderConf}
import io.sparkzorder.parquet.encoder.EncodedFormat

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.delta._
import org.apache.spark.sql.delta.actions.{AddFile, Metadata}
import org.apache.spark.sql.delta.files.DeltaFileFormatWriter
import org.apache.spark.sql.delta.shims.VariantShreddingShims
import org.apache.spark.sql.delta.util.TableParquetVersionOption
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.{BasicWriteJobStatsTracker, FileFormatWriter}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

/**
 * A transaction that can write its files by the encoder: as Delta's `TransactionalWrite.writeFiles` writes them, which
 * cannot be given another format. What that does besides for new rows (constraints, identity columns) is left out, so it
 * is only for rows that the table has, and for tables that [[EncodedTransaction.fits]].
 */
private[delta] class EncodedTransaction(session: SparkSession, table: Option[CatalogTable], of: Snapshot)
    extends OptimisticTransaction(of.deltaLog, table, of) {

  private var isWriting = false

  /**
   * Properties of the table reach the writer before the session's settings do. While rows are written, it has none that
   * would cut timestamps.
   */
  override def metadata: Metadata = {
    val all = super.metadata
    if (isWriting) all.copy(configuration = all.configuration - SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key) else all
  }

  private def writing[T](body: => T): T = {
    isWriting = true
    try body
    finally isWriting = false
  }

  /** Writes rows of the table into new files by Delta's own way. */
  def writeByDelta(rows: DataFrame): IndexedSeq[AddFile] =
    writing(writeFiles(rows, None, isOptimize = true, Nil)).toIndexedSeq.map {
      case a: AddFile => a
      case other => throw new IllegalStateException(s"A rewrite of files wrote ${other.getClass.getSimpleName}")
    }

  /**
   * Writes rows of the table into new files.
   *
   * @param fromRows
   *   whether Delta collects the statistics of the files, from every row; else they have none
   */
  def writeEncoded(rows: DataFrame, fromRows: Boolean): IndexedSeq[AddFile] = writing {
    hasWritten = true
    val (execution, output, _, _) = normalizeData(deltaLog, None, rows)
    val statistics =
      if (!fromRows) None
      else getOptionalStatsTrackerAndStatsCollection(
        output,
        deltaLog.dataPath,
        metadata.physicalPartitionSchema,
        rows)._1
    val committer = getCommitter(deltaLog.dataPath)
    val withPartitions = protocol.isFeatureSupported(MaterializePartitionColumnsTableFeature) ||
      DeltaConfigs.WRITE_PARTITION_COLUMNS_TO_PARQUET.fromMetaData(metadata).getOrElse(true)
    val options = Map(DeltaOptions.WRITE_PARTITION_COLUMNS -> withPartitions.toString) ++
      VariantShreddingShims.getVariantInferShreddingSchemaOptions(false)
    val counters = new BasicWriteJobStatsTracker(
      new SerializableConfiguration(deltaLog.newDeltaHadoopConf()),
      BasicWriteJobStatsTracker.metrics)
    SQLExecution.withNewExecutionId(execution, Some("deltaTransactionalWrite")) {
      DeltaFileFormatWriter.write(
        sparkSession = session,
        plan = execution.executedPlan,
        fileFormat = new EncodedFormat(deltaLog.fileFormat(protocol, metadata)),
        committer = committer,
        outputSpec = FileFormatWriter.OutputSpec(deltaLog.dataPath.toString, Map.empty, output),
        hadoopConf = session.sessionState.newHadoopConfWithOptions(properties ++ deltaLog.options),
        partitionColumns = getPartitioningColumns(metadata.physicalPartitionSchema, output),
        bucketSpec = None,
        statsTrackers = counters +: statistics.toSeq,
        options = options ++ TableParquetVersionOption.getWriterOptions(session, options, metadata.configuration)
      )
    }
    committer.addedStatuses.toIndexedSeq
      .map(file => file.copy(stats = statistics.fold(file.stats)(_.recordedStats(file.toPath.getName))))
      .filter(_.numLogicalRecords.forall(_ > 0))
  }

  /** What the statement says of compression goes before the table. */
  private def properties: Map[String, String] =
    if (ZOrderConf.optimizeCompression(session.sessionState.conf).isEmpty) metadata.configuration
    else Compression.without(metadata.configuration)
}

private[delta] object EncodedTransaction {

  /** Whether `writeEncoded` writes a table's files exactly as Delta would. */
  def fits(snapshot: Snapshot): Boolean = {
    val metadata = snapshot.metadata
    !IcebergCompat.isAnyEnabled(metadata) && !ColumnWithDefaultExprUtils.hasIdentityColumn(metadata.schema) &&
    !GeneratedColumn.hasGeneratedColumns(metadata.schema) &&
    !DeltaConfigs.ENABLE_VARIANT_SHREDDING.fromMetaData(metadata)
  }
}
