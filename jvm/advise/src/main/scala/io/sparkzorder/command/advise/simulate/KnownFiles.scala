// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.simulate

import io.sparkzorder.column.{ColumnStatistics, ZOrderColumn}
import io.sparkzorder.format.DataFile
import io.sparkzorder.skipping.predicate.FilesWithStatistics

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/**
 * Files, real or simulated, as a reader that is about to skip some of them sees them.
 *
 * @param bytes
 *   per file, its size
 * @param partitions
 *   per file, the number of its table partition
 * @param rowCounts
 *   per file, rows that its statistics are about; 1 where nothing is known of them
 */
private[advise] final class KnownFiles(
    val bytes: Array[Double],
    val partitions: Array[Int],
    rowCounts: Array[Long],
    columns: Map[Seq[String], (DataType, ColumnStatistics.OfFiles)])
    extends FilesWithStatistics {

  override def size: Int = bytes.length

  override def rows(file: Int): Long = rowCounts(file)

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    columns.get(path).collect { case (own, known) if own == dataType => known }
}

private[advise] object KnownFiles {

  /** The files of a table as they are, by the statistics by which queries skip them. */
  def real(
      files: IndexedSeq[DataFile],
      partitions: IndexedSeq[InternalRow],
      columns: Seq[ZOrderColumn]): KnownFiles = {
    val numbers = partitions.zipWithIndex.toMap
    new KnownFiles(
      files.map(_.bytes.toDouble).toArray,
      files.map(f => numbers(f.partition)).toArray,
      // Deleted rows count in statistics. Where rows are not known, no number of NULLs may be that of all rows.
      files.map(f => f.rows.fold(Long.MaxValue)(_ + f.deletedRows)).toArray,
      columns.map { c =>
        c.path.parts -> ((c.dataType, ColumnStatistics.ofFiles(files.map(_.readerStatistics(c.path, c.dataType)))))
      }.toMap
    )
  }
}
