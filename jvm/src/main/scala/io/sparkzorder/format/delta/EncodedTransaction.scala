// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.parquet.encoder.EncodedFormat

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.delta._
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.constraints.Constraints
import org.apache.spark.sql.delta.files.DeltaFileFormatWriter
import org.apache.spark.sql.delta.shims.VariantShreddingShims
import org.apache.spark.sql.delta.util.TableParquetVersionOption
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.{BasicWriteJobStatsTracker, FileFormatWriter}
import org.apache.spark.util.SerializableConfiguration

/**
 * A transaction that can write its files by the encoder: as Delta's `TransactionalWrite.writeFiles` writes them, which
 * cannot be given another format. What that does besides for new rows (constraints, identity columns, statistics of rows)
 * is left out, so it is only for rows that the table has, and for tables that [[EncodedTransaction.fits]].
 */
private[delta] class EncodedTransaction(session: SparkSession, table: Option[CatalogTable], of: Snapshot)
    extends OptimisticTransaction(of.deltaLog, table, of) {

  /** Writes rows of the table into new files, without statistics. */
  def writeEncoded(rows: DataFrame): IndexedSeq[AddFile] = {
    hasWritten = true
    val (execution, output, _, _) = normalizeData(deltaLog, None, rows)
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
        hadoopConf = session.sessionState.newHadoopConfWithOptions(metadata.configuration ++ deltaLog.options),
        partitionColumns = getPartitioningColumns(metadata.physicalPartitionSchema, output),
        bucketSpec = None,
        statsTrackers = Seq(counters),
        options = options ++ TableParquetVersionOption.getWriterOptions(session, options, metadata.configuration)
      )
    }
    committer.addedStatuses.toIndexedSeq
  }
}

private[delta] object EncodedTransaction {

  /** Whether `writeEncoded` writes a table's files exactly as Delta would. */
  def fits(session: SparkSession, snapshot: Snapshot): Boolean = {
    val metadata = snapshot.metadata
    !IcebergCompat.isAnyEnabled(metadata) && Constraints.getAll(metadata, session).isEmpty &&
    !ColumnWithDefaultExprUtils.hasIdentityColumn(metadata.schema) &&
    !GeneratedColumn.hasGeneratedColumns(metadata.schema) &&
    !DeltaConfigs.ENABLE_VARIANT_SHREDDING.fromMetaData(metadata)
  }
}
