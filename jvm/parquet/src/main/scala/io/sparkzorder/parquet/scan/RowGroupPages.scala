// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.scan

import org.apache.parquet.hadoop.metadata.BlockMetaData
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
