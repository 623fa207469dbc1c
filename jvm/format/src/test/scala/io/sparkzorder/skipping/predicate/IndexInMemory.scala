// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.types.DataType

/** A file that an index knows: its place, as of when, and its rows. */
case class IndexedFile(path: String, bytes: Long, modificationTime: Long, rows: Long)

/** An index of given files and statistics. */
class IndexInMemory(
    known: IndexedSeq[IndexedFile],
    columns: Map[(Seq[String], DataType), ColumnStatistics.OfFiles],
    override val version: String = "1")
    extends IndexedFiles {

  private val numbers = known.zipWithIndex.map { case (f, i) => (f.path, f.bytes, f.modificationTime) -> i }.toMap

  override def size: Int = known.size
  override def rows(file: Int): Long = known(file).rows
  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    columns.get((path, dataType))

  override def find(path: String, bytes: Long, modificationTime: Long): Int =
    numbers.getOrElse((path, bytes, modificationTime), -1)
}
