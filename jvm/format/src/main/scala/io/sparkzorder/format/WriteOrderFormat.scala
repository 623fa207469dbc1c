// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.connector.catalog.CatalogPlugin

/** What only a format of tables knows of the order on write of its tables. */
trait WriteOrderFormat {

  /** Whether rows are written in a table's order. */
  def writesInOrder: Boolean

  /** Why rows of a table of this format that is partitioned cannot be written in an order; None where they can. */
  def partitionsUndoOrder(table: String): Option[ZOrderAnalysisException] = None

  /** The one of a table's properties, if any, for which rows are moved after they were ordered. */
  def undoesOrder(properties: Map[String, String]): Option[String] = None

  /** Whether a catalog makes tables of this format where a statement names none. */
  def isDefaultOf(catalog: CatalogPlugin): Boolean = false

  /** Whether a table that is replaced keeps the properties that the statement does not set. */
  def keepsProperties: Boolean = false
}
