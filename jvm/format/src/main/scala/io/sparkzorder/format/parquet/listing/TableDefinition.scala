// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import java.util.Locale

import scala.collection.mutable

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.RewriteLog
import io.sparkzorder.parquet.footer.StatisticsColumn

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FileSourceOptions, InternalRow}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.FileIndexOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{IntegerType, StructType}

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

  /** The columns of [[TableListing.File.partition]]: those of the partitions, and the number of the file's folder. */
  val groupSchema: StructType = FolderGroups.schema(partitionSchema, readsFoldersBelow)

  /** As of a folder with the option `recursiveFileLookup`. */
  private def readsFoldersBelow: Boolean =
    CaseInsensitiveMap(options).get(FileIndexOptions.RECURSIVE_FILE_LOOKUP).exists(_.toBoolean)

  private val groups = new FolderGroups(readsFoldersBelow)

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

/**
 * Numbers the folders of a table's files. Rows stay in the folder that they come from: `zip=01` and `zip=1` have one value
 * where Spark infers a number from them, and other readers distinguish them; and what lies in a folder below a partition
 * may be read as a table of its own.
 *
 * A folder keeps its number for the time of a statement.
 *
 * @param readsFoldersBelow
 *   whether the table has files in folders also where it has no partitions
 */
private[parquet] final class FolderGroups(readsFoldersBelow: Boolean) {

  private val numbers = mutable.Map.empty[(InternalRow, String), Int]

  /**
   * @param partition
   *   the values of the partition columns, `schema`
   * @param file
   *   a file of that partition, by its path in the table
   * @return
   *   the values, and after them the number of the file's folder; just the values where all files are in the table's own
   */
  def numbered(partition: InternalRow, schema: StructType, file: String): InternalRow =
    if (schema.isEmpty && !readsFoldersBelow) partition
    else {
      val values = partition.toSeq(schema)
      // The catalog may have two partitions with one folder; `TableListing` refuses those.
      val key = (new GenericInternalRow(values.toArray): InternalRow, ListedFile.folderOf(file))
      val number = synchronized(numbers.getOrElseUpdate(key, numbers.size))
      new GenericInternalRow((values :+ number).toArray)
    }
}

private[parquet] object FolderGroups {

  /** The column of the number, which no file has. */
  val Column = "_zorder_folder"

  /** The columns of what [[FolderGroups.numbered]] returns. */
  private[listing] def schema(partitions: StructType, readsFoldersBelow: Boolean): StructType =
    if (partitions.isEmpty && !readsFoldersBelow) partitions else partitions.add(Column, IntegerType, nullable = false)
}
