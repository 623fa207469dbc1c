package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.SparkSession

/** A table of which this project itself keeps the statistics by which readers skip files. */
trait IndexedTable extends ClusterableTable {

  /** @throws ZOrderAnalysisException for a column of which there can be no statistics */
  def requireIndexable(columns: Seq[ColumnPath]): Unit

  /**
   * Builds the index or brings it up to date.
   *
   * @param columns
   *   those that it is to have from now on; None leaves them as they are, and takes all for a new index
   */
  def index(session: SparkSession, columns: Option[Seq[ColumnPath]]): IndexedTable.Outcome

  /** Every column of which there can be statistics. */
  def indexableColumns: Seq[ColumnPath]
}

object IndexedTable {

  /**
   * @param files
   *   in the index
   * @param read
   *   of which the footers were read; the others were known
   * @param columns
   *   in the index
   */
  final case class Outcome(path: String, files: Int, read: Int, columns: Seq[ColumnPath])
}
