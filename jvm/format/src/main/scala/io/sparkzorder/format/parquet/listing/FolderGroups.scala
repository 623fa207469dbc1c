// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import scala.collection.mutable

import io.sparkzorder.format.ListedFile

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{IntegerType, StructType}

/**
 * Numbers the partitions of a table by their folders: `zip=01` and `zip=1` have one value where Spark infers a number
 * from them, and other readers tell them apart. Rows stay in the folder that they come from.
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
   *   the values, and behind them the number of the file's folder; just the values where there are no partitions
   */
  def of(partition: InternalRow, schema: StructType, file: String): InternalRow =
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

  /** The columns of what [[FolderGroups.of]] returns. */
  def schema(partitions: StructType): StructType =
    if (partitions.isEmpty) partitions else partitions.add(Column, IntegerType, nullable = false)

  /** Files may lie deeper than in the partition's own folder. */
  private def partitionFolder(folder: String): String = {
    val last = folder.lastIndexOf('=')
    val end = if (last < 0) 0 else folder.indexOf('/', last)
    if (end < 0) folder else folder.substring(0, end)
  }
}
