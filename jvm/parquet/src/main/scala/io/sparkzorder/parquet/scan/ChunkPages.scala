// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges

/** The data pages of a column chunk: how many there are, and which of them hold given rows. */
private[sparkzorder] class ChunkPages(chunk: ColumnChunkMetaData, index: Option[OffsetIndex]) {

  /** From the page index; without one from the footer, and 1 where that does not count pages either. */
  def pages: Long = index.fold(pagesByFooter)(_.getPageCount.toLong)

  /** Of all pages, the dictionary page among them. */
  def bytes: Long = chunk.getTotalSize

  private def pagesByFooter: Long =
    Option(chunk.getEncodingStats)
      .map(stats => stats.getDataEncodings.asScala.toSeq.map(stats.getNumDataPagesEncodedAs(_).toLong).sum)
      .filter(_ > 0)
      .getOrElse(1L)

  /**
   * The pages that hold some of `rows`, and their bytes; with them the reader takes the dictionary page, which all of
   * the chunk's pages share.
   *
   * @param rowCount
   *   number of rows of the whole chunk
   */
  def holding(rows: RowRanges, rowCount: Long): (Long, Long) = index match {
    case None => (pages, bytes)
    case Some(offsets) =>
      val kept = (0 until offsets.getPageCount).filter { page =>
        rows.isOverlapping(offsets.getFirstRowIndex(page), offsets.getLastRowIndex(page, rowCount))
      }
      val dictionary = if (kept.isEmpty) 0L else math.max(0L, offsets.getOffset(0) - chunk.getStartingPos)
      (kept.size.toLong, dictionary + kept.map(offsets.getCompressedPageSize(_).toLong).sum)
  }
}

private[sparkzorder] object ChunkPages {

  /** Reads the chunk's page index, where there is one. */
  def of(reader: ParquetFileReader, chunk: ColumnChunkMetaData): ChunkPages =
    new ChunkPages(chunk, Option(reader.readOffsetIndex(chunk)))
}
