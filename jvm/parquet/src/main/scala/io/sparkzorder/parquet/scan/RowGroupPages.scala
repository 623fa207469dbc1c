// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData}
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges

/** The columns of a row group that a scan asks for. */
private[sparkzorder] class RowGroupPages(val block: BlockMetaData, chunks: Seq[ChunkPages]) {

  private def pages: Long = chunks.map(_.pages).sum

  private def bytes: Long = chunks.map(_.bytes).sum

  /** All there is, none of it read. */
  def total: ScanVolume = ScanVolume(1, 0, pages, 0, bytes, 0, block.getRowCount)

  /** What a reader without a filter reads: everything; of a row group without rows nothing. */
  def whole: ScanVolume =
    if (block.getRowCount == 0) ScanVolume.none else ScanVolume(0, 1, 0, pages, 0, bytes, 0)

  /** What a reader reads that wants these rows only. */
  def holding(rows: RowRanges): ScanVolume = {
    val count = rows.rowCount
    if (count == 0) ScanVolume.none
    else if (count == block.getRowCount) whole
    else {
      val (pages, bytes) = chunks.map(_.holding(rows, block.getRowCount)).unzip
      ScanVolume(0, 1, 0, pages.sum, 0, bytes.sum, 0)
    }
  }
}

/**
 * How much of a file, or of several, a scan reads, beside how much there is.
 *
 * Pages and bytes are those of the columns that the scan asks for: data pages, and compressed bytes with page headers
 * and dictionary pages. A page that any row of may match is read whole.
 *
 * @param rows
 *   number of all rows, those of what is not read too
 */
final case class ScanVolume(
    rowGroupsTotal: Long,
    rowGroupsRead: Long,
    pagesTotal: Long,
    pagesRead: Long,
    bytesTotal: Long,
    bytesRead: Long,
    rows: Long) {

  def +(other: ScanVolume): ScanVolume = ScanVolume(
    rowGroupsTotal + other.rowGroupsTotal,
    rowGroupsRead + other.rowGroupsRead,
    pagesTotal + other.pagesTotal,
    pagesRead + other.pagesRead,
    bytesTotal + other.bytesTotal,
    bytesRead + other.bytesRead,
    rows + other.rows
  )
}

object ScanVolume {

  val none: ScanVolume = ScanVolume(0, 0, 0, 0, 0, 0, 0)
}

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
