// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.TableOrder

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

  /** Its table properties; None for a folder that is nothing else. */
  def properties: Option[Map[String, String]]

  /**
   * The order in which its rows are to be written.
   *
   * @throws ZOrderAnalysisException
   *   where the properties that tell it have values that there are not
   */
  def order: Option[TableOrder] = properties.flatMap(TableOrder.of(name, _))

  /** The table at its latest version, to be read in `session`. */
  def snapshot(session: SparkSession): TableSnapshot
}
