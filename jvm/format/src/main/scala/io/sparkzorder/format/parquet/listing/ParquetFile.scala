// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile, ListedFile}
import io.sparkzorder.parquet.footer.FieldIds

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{And, AttributeReference, BoundReference, Expression, Predicate}
import org.apache.spark.sql.execution.datasources.{
  FileIndex,
  FileStatusWithMetadata,
  HadoopFsRelation,
  LogicalRelation,
  PartitionDirectory
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * A file of a Parquet table.
 *
 * @param column
 *   gives the statistics of a column, out of the statistics index or of the footer
 */
private[parquet] class ParquetFile(
    val listed: TableListing.File,
    count: Long,
    column: ColumnPath => Option[ColumnStatistics],
    override val clustering: Option[Clustering])
    extends DataFile {

  override def path: String = listed.id.path

  override def location: String = listed.status.getPath.toString

  override def partition: InternalRow = listed.partition

  /** The folder, relative to the table; empty for the table's own. */
  def folder: String = ListedFile.folderOf(path)

  override def partitionName: String = folder

  override def bytes: Long = listed.id.bytes

  override def rows: Option[Long] = Some(count)

  override def deletedRows: Long = 0L

  override def liveBytes: Long = bytes

  override def statistics(path: ColumnPath): ColumnStatistics = column(path).getOrElse(ColumnStatistics.unknown)
}

/** Reads chosen files of a Parquet table with Spark's own reader. */
private[parquet] object ParquetRows {

  /**
   * @param dataSchema
   *   the columns to read, without those of the partitions
   * @param settings
   *   further settings of Hadoop
   * @return
   *   the data columns, and after them the partition columns and [[FolderGroups.Column]]
   */
  def read(
      session: SparkSession,
      table: TableDefinition,
      files: IndexedSeq[TableListing.File],
      dataSchema: StructType,
      settings: Map[String, String] = Map.empty): DataFrame = {
    val directories = files.groupBy(_.partition).toSeq.map { case (partition, of) =>
      PartitionDirectory(partition, of.map(f => FileStatusWithMetadata(f.status)))
    }
    val partitions = table.groupSchema
    val location = new FixedFileIndex(table.folder.root, partitions, directories)
    // Files may hold NULL where a schema says that there is none.
    val nullable = SparkInternals.asNullable(byNamesOrIds(session, dataSchema))
    val options = table.rewriteOptions ++ settings
    val relation = HadoopFsRelation(location, partitions, nullable, None, new ParquetFileFormat, options)(session)
    SparkInternals.dataFrame(session, LogicalRelation(relation))
  }

  /** Spark's reader fails where a schema has ids and a file has none, also where it is not to read by ids. */
  private def byNamesOrIds(session: SparkSession, schema: StructType): StructType =
    if (session.sessionState.conf.parquetFieldIdReadEnabled) schema else FieldIds.without(schema)
}

/** Exactly these files of a table, whatever else its folder holds. */
private[sparkzorder] final class FixedFileIndex(
    root: Path,
    override val partitionSchema: StructType,
    directories: Seq[PartitionDirectory])
    extends FileIndex {

  override def rootPaths: Seq[Path] = Seq(root)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    partitionFilters.reduceOption(And(_, _)) match {
      case None => directories
      case Some(filter) =>
        val bound = Predicate.createInterpreted(filter.transform { case a: AttributeReference =>
          BoundReference(partitionSchema.fieldIndex(a.name), a.dataType, nullable = true)
        })
        directories.filter(d => bound.eval(d.values: InternalRow))
    }

  override def inputFiles: Array[String] = directories.flatMap(_.files.map(_.getPath.toString)).toArray

  override def refresh(): Unit = ()

  override def sizeInBytes: Long = directories.map(_.files.map(_.getLen).sum).sum
}
