// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.column.ColumnStatistics

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.types.DataType

/** Statistics of files, in the driver's memory. */
trait FilesWithStatistics {

  /** The number of files; they are numbered from 0. */
  def size: Int

  /** Rows in a file. */
  def rows(file: Int): Long

  /**
   * The statistics of a column.
   *
   * @param path
   *   its name in the table, and behind it those of the fields on the way to the leaf
   * @param dataType
   *   its type in the table as the query reads it
   * @return
   *   None where the column is not known, or is known with another type
   */
  def column(path: Seq[String], dataType: DataType): Option[IndexedColumn]
}

/** One version of a table's statistics index. */
trait IndexedFiles extends FilesWithStatistics {

  /** Stays the same as long as the contents do. */
  def version: String

  /**
   * @param path
   *   path relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
   * @param bytes
   *   the file's size as it now is
   * @param modificationTime
   *   the file's time as it now is, in milliseconds since 1970
   * @return
   *   the number of the file, or -1 where the index knows none of this path, size and time
   */
  def find(path: String, bytes: Long, modificationTime: Long): Int

  /**
   * Whether a file that was found is still the one that the index knows, as far as its file system can tell; asked of
   * files that are about to be skipped.
   */
  def isUnchanged(file: Int, status: FileStatus): Boolean = true
}

/**
 * The statistics of one column in every file, by the file's number: [[ColumnStatistics]] in columns.
 *
 * Bounds are values in Spark's internal form and hold in Spark's order of the type: no value lies below `min` or above
 * `max`. Where a file of floating-point numbers may hold NaN, which Spark orders last, its maximum is NaN or the file is
 * one of `mayHoldNaN`.
 *
 * @param min
 *   per file, the least value; null where it is not known, or where there is no value
 * @param max
 *   per file, the greatest value, likewise; bounds are known both or not at all
 * @param nullCounts
 *   per file, the number of rows without a value, or -1 where that is not known
 * @param mayHoldNaN
 *   the files in which values may be NaN beside those that the bounds hold for
 */
final class IndexedColumn(
    val min: Array[Any],
    val max: Array[Any],
    val nullCounts: Array[Long],
    val mayHoldNaN: Int => Boolean = IndexedColumn.noFile) {

  /** What is known of the column in a file, by its number. */
  def apply(file: Int): ColumnStatistics =
    ColumnStatistics(min(file), max(file), Some(nullCounts(file)).filter(_ >= 0), mayHoldNaN(file))
}

object IndexedColumn {

  private val noFile: Int => Boolean = _ => false

  /** @param statistics the statistics of each file, in the order of the numbers of files */
  def of(statistics: IndexedSeq[ColumnStatistics]): IndexedColumn =
    new IndexedColumn(
      statistics.map(_.min).toArray,
      statistics.map(_.max).toArray,
      statistics.map(_.nullCount.getOrElse(-1L)).toArray,
      statistics.map(_.mayHoldNaN))
}
