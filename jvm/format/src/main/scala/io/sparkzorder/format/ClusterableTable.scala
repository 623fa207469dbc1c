// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.{ColumnPath, TableOrder}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** A table that a statement names, before any of its files is looked at. */
trait ClusterableTable {

  /** As users name it, for messages. */
  def name: String

  /** In statements, whatever catalog is the current one. */
  def nameInSql: String = name

  /** As users see it, partition columns included. */
  def schema: StructType

  def partitionColumns: Seq[String]

  /**
   * The order in which its rows are to be written.
   *
   * @throws ZOrderAnalysisException
   *   where the properties that tell it have values that there are not
   */
  def order: Option[TableOrder] = None

  /** The folder of a table that is nothing else, and so has no properties that could tell an order. */
  def bareFolder: Option[String] = None

  /**
   * What z-orders the table into files of so many bytes where OPTIMIZE cannot, as its format says it; None for a table
   * that OPTIMIZE rewrites.
   */
  def ownRewrite(columns: Seq[ColumnPath], targetFileBytes: Long): Option[String] = None

  /** The table at its latest version, to be read and rewritten in `session`. */
  def snapshot(session: SparkSession): TableSnapshot

  /**
   * Runs what changes the table; where its format has no transactions, while no concurrent statement does. `body` gets
   * the table as it may be changed.
   */
  def exclusively[T](session: SparkSession)(body: ClusterableTable => T): T = body(this)

  /** Sets what this table's format reads of a session that exists for one statement only. */
  def configure(rewriteSession: SparkSession): Unit = ()
}
