package io.sparkzorder.skipping.index

import org.apache.spark.sql.types.DataType

/** One version of a table's statistics index, in the driver's memory. */
trait IndexedFiles {

  /** Stays the same as long as the contents do. */
  def version: String

  /** The number of files that the index knows; they are numbered from 0. */
  def size: Int

  /**
   * @param path
   *   relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
   * @param bytes
   *   the file's size as it now is
   * @param modificationTime
   *   as it now is, in milliseconds since 1970
   * @return
   *   the number of the file, or -1 where the index knows none of this path, size and time
   */
  def find(path: String, bytes: Long, modificationTime: Long): Int

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
   *   None where the index does not have the column, or has it with another type
   */
  def column(path: Seq[String], dataType: DataType): Option[IndexedColumn]
}
