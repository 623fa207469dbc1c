// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.{ColumnPath, TableOrder}
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** A table that a statement names, before any of its files is looked at. */
trait ReadableTable {

  /** As users name it, for messages. */
  def name: String

  /** In statements, whatever catalog is the current one. */
  def nameInSql: String = name

  /** As users see it, partition columns included. */
  def schema: StructType

  def partitionColumns: Seq[String]

  /** The columns by which WHERE may choose partitions: also those of which partitions hold more than one value. */
  def predicateColumns: Seq[String] = partitionColumns

  /** Its table properties; None for a folder that is nothing else. */
  def properties: Option[Map[String, String]]

  /**
   * The order in which its rows are to be written.
   *
   * @throws ZOrderAnalysisException
   *   where the properties that say it have values that there are not
   */
  def order: Option[TableOrder] = properties.flatMap(TableOrder.of(name, _))

  /**
   * The format's own error where it keeps records of its tables itself, and a statement or an option asks this project
   * for them; None for the error that names Delta's.
   *
   * @param what
   *   the statement or the option, for the message
   */
  def keepsItself(what: String): Option[ZOrderAnalysisException] = None

  /** The table at its latest version, to be read in `session`. */
  def snapshot(session: SparkSession): TableSnapshot
}

/** A table whose files OPTIMIZE replaces. */
trait ClusterableTable extends ReadableTable {

  /** The folder of its files, or of its metadata, qualified. */
  def location: String

  /** The table at its latest version, to be read and rewritten in `session`. */
  override def snapshot(session: SparkSession): ClusterableSnapshot

  /**
   * Runs a statement that rewrites the table in `session`, which exists for that statement only: what the format reads of
   * it is set before. Where the format has no transactions, no concurrent statement rewrites the table until it ends.
   *
   * @param dryRun
   *   whether nothing will be rewritten
   * @param body
   *   gets the table as it may be rewritten
   */
  def change[T](session: SparkSession, dryRun: Boolean)(body: ClusterableTable => T): T
}

/**
 * A table whose small files OPTIMIZE makes larger ones of where it names no order. Formats that have a statement for that
 * themselves keep it.
 */
trait CompactableTable extends ClusterableTable

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
