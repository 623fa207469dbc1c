// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.{ColumnPath, ColumnStatistics, ZOrderColumn}
import io.sparkzorder.layout.measure.{ColumnRange, FileRanges}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/** One data file of a snapshot. */
trait DataFile {

  /** As the table records it. */
  def path: String

  /** The absolute location, for reading the footer. */
  def location: String

  /** The values of the partition columns, in Spark's internal form. */
  def partition: InternalRow

  /** `partition` as new files with the same rows have it: two values can be one to a writer. */
  def writtenPartition: InternalRow = partition

  /** As in a path: `day=2024-01-01/country=CH`; empty in a table without partitions. */
  def partitionName: String

  def bytes: Long

  /** Rows that a reader sees; None where the table does not record it. */
  def rows: Option[Long]

  /** Rows marked as deleted that the file still holds. */
  def deletedRows: Long

  /** The bytes that `rows` would take: less than `bytes` where rows are deleted. */
  def liveBytes: Long

  /** As the table records them; deleted rows count. */
  def statistics(column: ColumnPath): ColumnStatistics

  /** The bound by which readers of the format skip the file, where it is wider than `max` as recorded. */
  protected def readerMax(max: Any, dataType: DataType): Any = max

  /** The statistics of a column by which readers of the format skip the file. */
  def readerStatistics(column: ColumnPath, dataType: DataType): ColumnStatistics = {
    val known = statistics(column)
    known.copy(max = readerMax(known.max, dataType))
  }

  /** The values of a column, as far as readers know them. */
  def range(column: ZOrderColumn): ColumnRange = {
    val known = readerStatistics(column.path, column.dataType)
    if (known.min != null && known.max != null)
      ColumnRange.Within(column.keyType.key(known.min), column.keyType.key(known.max))
    else if (known.nullCount.isDefined && known.nullCount == rows.map(_ + deletedRows)) ColumnRange.NoValue
    else ColumnRange.Unknown
  }

  /** As [[range]], with null for NULL, below every value; None where the bounds are not known. */
  def rangeWithNull(column: ZOrderColumn): Option[ColumnRange.Within] = range(column) match {
    case known: ColumnRange.Within if statistics(column.path).nullCount.contains(0L) => Some(known)
    case ColumnRange.Within(_, high) => Some(ColumnRange.Within(null, high))
    case ColumnRange.NoValue => Some(ColumnRange.Within(null, null))
    case ColumnRange.Unknown => None
  }

  /** How it was laid out; None for a file that another writer made. */
  def clustering: Option[Clustering]
}

object DataFile {

  /** The ranges of a column in files. */
  def ranges(files: IndexedSeq[DataFile], column: ZOrderColumn): FileRanges =
    new FileRanges(files.map(_.range(column)), column.keyType.ordering)
}
