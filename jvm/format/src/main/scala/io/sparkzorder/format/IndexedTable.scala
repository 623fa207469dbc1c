// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.SparkSession

/** A table of which this project itself keeps the statistics used for data skipping. */
trait IndexedTable extends ReadableTable {

  /** @throws ZOrderAnalysisException for a column of which there can be no statistics */
  def requireIndexable(columns: Seq[ColumnPath]): Unit

  /**
   * Builds the index or brings it up to date. Takes the table exclusively by itself.
   *
   * @param columns
   *   columns that the index is to have from now on; None leaves them as they are, and takes all for a new index
   */
  def index(session: SparkSession, columns: Option[Seq[ColumnPath]]): IndexedTable.Outcome

  /** Every column of which there can be statistics. */
  def indexableColumns: Seq[ColumnPath]
}

object IndexedTable {

  /**
   * @param files
   *   number of files in the index
   * @param read
   *   number of files whose footers were read; the index knew the rest
   * @param columns
   *   columns in the index
   */
  final case class Outcome(path: String, files: Int, read: Int, columns: Seq[ColumnPath])
}
