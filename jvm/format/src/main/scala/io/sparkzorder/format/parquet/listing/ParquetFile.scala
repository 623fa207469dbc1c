// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.{Clustering, DataFile, ListedFile}

import org.apache.spark.sql.catalyst.InternalRow

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
