// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import java.util.Locale

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.RewriteLog
import io.sparkzorder.parquet.footer.StatisticsColumn

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.internal.SQLConf
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

  /** The options without those that would leave rows out, change them, or end files elsewhere. */
  def rewriteOptions: Map[String, String] =
    options.filterNot(option => TableDefinition.Unsafe(option._1.toLowerCase(Locale.ROOT)))

  val rewriteLog: RewriteLog = new RewriteLog(folder)

  private val groups = new FolderGroups

  def listing(session: SparkSession): TableListing = new TableListing(session, this, groups)
}

private[parquet] object TableDefinition {

  // They go before the session's settings, which a rewrite chooses.
  private val Unsafe = Set(
    FileSourceOptions.IGNORE_CORRUPT_FILES,
    FileSourceOptions.IGNORE_MISSING_FILES,
    "maxRecordsPerFile",
    SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key
  ).map(_.toLowerCase(Locale.ROOT))
}
