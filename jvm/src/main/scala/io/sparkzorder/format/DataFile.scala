package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.catalyst.InternalRow

/** One data file of a snapshot. */
trait DataFile {

  /** As the table records it. */
  def path: String

  /** The absolute location, for reading the footer. */
  def location: String

  /** The values of the partition columns, in Spark's internal form. */
  def partition: InternalRow

  /** As in a path: `day=2024-01-01/country=CH`; empty in a table without partitions. */
  def partitionName: String

  def bytes: Long

  /** Rows that a reader sees; None where the table does not record it. */
  def rows: Option[Long]

  /** Rows marked as deleted that the file still holds. */
  def deletedRows: Long

  /** The bytes that `rows` would take: less than `bytes` where rows are deleted. */
  def liveBytes: Long

  def statistics(column: ColumnPath): ColumnStatistics

  /** How it was laid out; None for a file that another writer made. */
  def clustering: Option[Clustering]
}
