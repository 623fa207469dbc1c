// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.types.DataType

/** Statistics of files, in the driver's memory. */
trait FilesWithStatistics {

  /** The number of files; they are numbered from 0. */
  def size: Int

  /** Rows in a file. */
  def rows(file: Int): Long

  /** Rows in a file that a query surely gets of it; fewer than [[rows]] where some are deleted. */
  def rowsAtLeast(file: Int): Long = rows(file).max(0)

  /**
   * The statistics of a column.
   *
   * @param path
   *   its name in the table, and after it those of the fields on the way to the leaf
   * @param dataType
   *   its type in the table as the query reads it
   * @return
   *   None where the column is not known, or is known with another type
   */
  def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles]
}
