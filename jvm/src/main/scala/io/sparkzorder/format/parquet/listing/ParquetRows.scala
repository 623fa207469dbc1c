package io.sparkzorder.format.parquet.listing

import io.sparkzorder.parquet.footer.FieldIds

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.{
  FileStatusWithMetadata,
  HadoopFsRelation,
  LogicalRelation,
  PartitionDirectory
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/** Reads chosen files of a Parquet table with Spark's own reader. */
private[parquet] object ParquetRows {

  /**
   * @param dataSchema
   *   the columns to read, without those of the partitions
   * @return
   *   the data columns, and behind them the partition columns and [[FolderGroups.Column]]
   */
  def of(
      session: SparkSession,
      table: TableDefinition,
      files: IndexedSeq[TableListing.File],
      dataSchema: StructType): DataFrame = {
    val directories = files.groupBy(_.partition).toSeq.map { case (partition, of) =>
      PartitionDirectory(partition, of.map(f => FileStatusWithMetadata(f.status)))
    }
    val partitions = FolderGroups.schema(table.partitionSchema)
    val location = new FixedFileIndex(table.folder.root, partitions, directories)
    // Files may hold NULL where a schema says that there is none.
    val nullable = SparkInternals.asNullable(byNamesOrIds(session, dataSchema))
    val relation =
      HadoopFsRelation(location, partitions, nullable, None, new ParquetFileFormat, table.options)(session)
    SparkInternals.dataFrame(session, LogicalRelation(relation))
  }

  /** Spark's reader fails where a schema has ids and a file has none, also where it is not to read by ids. */
  private def byNamesOrIds(session: SparkSession, schema: StructType): StructType =
    if (session.sessionState.conf.parquetFieldIdReadEnabled) schema else FieldIds.without(schema)
}
