// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.RewriteLog
import io.sparkzorder.parquet.footer.StatisticsColumn

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.types.StructType

/**
 * A plain Parquet table as a catalog or its folder describes it.
 *
 * @param name
 *   name of the table as users write it, for messages
 * @param catalogTable
 *   the catalog's entry, where it has one
 * @param dataSchema
 *   the columns in the files
 * @param options
 *   options with which it is read and written
 */
private[parquet] final case class TableDefinition(
    name: String,
    folder: TableFolder,
    catalogTable: Option[CatalogTable],
    dataSchema: StructType,
    partitionSchema: StructType,
    options: Map[String, String]) {

  /** The columns as users see them. */
  val schema: StructType = StructType(dataSchema ++ partitionSchema)

  /** The columns of which the statistics index can have bounds. */
  val indexable: IndexedSeq[StatisticsColumn] = StatisticsColumn.of(dataSchema)

  val rewriteLog: RewriteLog = new RewriteLog(folder)

  private val groups = new FolderGroups

  def listing(session: SparkSession): TableListing = new TableListing(session, this, groups)
}
