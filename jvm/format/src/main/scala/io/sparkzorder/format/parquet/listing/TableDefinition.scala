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

/**
 * Numbers the partitions of a table by their folders: `zip=01` and `zip=1` have one value where Spark infers a number
 * from them, and other readers distinguish them. Rows stay in the folder that they come from.
 *
 * A folder keeps its number for the time of a statement.
 */
private[parquet] final class FolderGroups {

  private val numbers = mutable.Map.empty[(InternalRow, String), Int]

  /**
   * @param partition
   *   the values of the partition columns, `schema`
   * @param file
   *   a file of that partition, by its path in the table
   * @return
   *   the values, and after them the number of the file's folder; just the values where there are no partitions
   */
  def numbered(partition: InternalRow, schema: StructType, file: String): InternalRow =
    if (schema.isEmpty) partition
    else {
      val values = partition.toSeq(schema)
      // Folders that the catalog gives to partitions may have any names.
      val key =
        (new GenericInternalRow(values.toArray): InternalRow, FolderGroups.partitionFolder(ListedFile.folderOf(file)))
      val number = synchronized(numbers.getOrElseUpdate(key, numbers.size))
      new GenericInternalRow((values :+ number).toArray)
    }
}

private[parquet] object FolderGroups {

  /** The column of the number, which no file has. */
  val Column = "_zorder_folder"

  /** The columns of what [[FolderGroups.numbered]] returns. */
  def schema(partitions: StructType): StructType =
    if (partitions.isEmpty) partitions else partitions.add(Column, IntegerType, nullable = false)

  /** Files may lie deeper than in the partition's own folder. */
  private def partitionFolder(folder: String): String = {
    val last = folder.lastIndexOf('=')
    val end = if (last < 0) 0 else folder.indexOf('/', last)
    if (end < 0) folder else folder.substring(0, end)
  }
}
