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

  /** The table at its latest version, to be read in `session`. */
  def snapshot(session: SparkSession): TableSnapshot
}

/** A table whose files OPTIMIZE replaces. */
trait ClusterableTable extends ReadableTable {

  /** The folder of its files, or of its metadata, qualified. */
  def location: String

  /** Whether OPTIMIZE without an order is a statement of the format's own, which stays the format's. */
  def hasOwnCompaction: Boolean = false

  /**
   * The error where the table is not of the trait that has such records, as its format keeps its own: it says how to
   * get at these.
   *
   * @param asked
   *   the statement or the option that asks for them
   */
  def refusal(records: OwnRecords, asked: String): ZOrderAnalysisException

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

/** What this project does for tables of some formats, and keeps of them, that other formats do and keep themselves. */
sealed trait OwnRecords

object OwnRecords {

  /** Statistics of files, of an [[IndexedTable]]. */
  case object Statistics extends OwnRecords

  /** Rewrites that can be taken back, of a [[RestorableTable]]. */
  case object Rewrites extends OwnRecords

  /** Files that a rewrite replaces, of a [[RestorableTable]]. */
  case object ReplacedFiles extends OwnRecords

  /** The log of rewrites, of a [[RepairableTable]]. */
  case object Log extends OwnRecords

  /** Larger files in place of small ones, of a [[CompactableTable]]. */
  case object Compaction extends OwnRecords
}

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
