// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.parquet.column.ParquetProperties

/**
 * When pages end: as parquet-java's `ColumnWriteStoreBase` decides it, which looks at sizes after a number of rows that
 * it guesses from the sizes of the last look. One for each row group.
 */
private[encoder] final class PageCheck(properties: ParquetProperties) {

  private val threshold = properties.getPageSizeThreshold
  private val tolerance = (threshold * PageCheck.Tolerance).toLong
  private val maxRows = properties.getPageRowCountLimit

  /** The number of the row group's rows after which the next look is due. */
  var next: Long = properties.getMinRowCountForPageSizeCheck.toLong

  /**
   * Ends the pages that are full, and sets when the next look is due.
   *
   * @param rows
   *   rows of the row group so far
   */
  def run(rows: Long, columns: IndexedSeq[PagedColumn]): Unit = {
    var wait = Long.MaxValue
    var nextByRows = rows + maxRows
    columns.foreach { column =>
      val used = column.pageBytes
      val pageRows = column.pageRows
      var left = threshold - used
      if (left <= tolerance || pageRows >= maxRows) {
        column.writePage()
        left = threshold.toLong
      } else nextByRows = math.min(nextByRows, rows - pageRows + maxRows)
      wait = math.min(wait, if (used == 0) properties.getMaxRowCountForPageSizeCheck.toLong else pageRows * left / used)
    }
    if (wait == Long.MaxValue) wait = properties.getMinRowCountForPageSizeCheck.toLong
    val bySize =
      if (properties.estimateNextSizeCheck)
        rows + math.min(
          math.max(wait / 2, properties.getMinRowCountForPageSizeCheck.toLong),
          properties.getMaxRowCountForPageSizeCheck.toLong)
      else rows + properties.getMinRowCountForPageSizeCheck
    next = math.min(bySize, nextByRows)
  }
}

private object PageCheck {
  private val Tolerance = 0.1f
}

/** When row groups end: as parquet-java's `InternalParquetRecordWriter` decides it. One for each file. */
private[encoder] final class RowGroupCheck(properties: ParquetProperties) {

  private val min = properties.getMinRowCountForPageSizeCheck.toLong
  private val max = properties.getMaxRowCountForPageSizeCheck.toLong

  /** Rows after which a row group ends whatever its size. */
  val maxRows: Long = ParquetJavaPages.rowGroupRows(properties)

  /** The number of the row group's rows after which its size is looked at next. */
  var next: Long = min

  /**
   * Whether the row group ends here.
   *
   * @param bytes
   *   bytes of the row group so far
   */
  def isFull(rows: Long, bytes: Long, limit: Long): Boolean =
    if (rows >= maxRows) true
    else if (rows < next) false
    else {
      val rowBytes = bytes / rows
      val isFull = bytes > limit - 2 * rowBytes
      if (!isFull)
        next = math.min(math.max(min, (rows + (limit / rowBytes.toFloat).toLong) / 2), rows + max)
      isFull
    }

  /** A row group has begun: parquet-java guesses from the rows of the last one, which it has set to 0 by then. */
  def begin(): Unit = next = math.min(min, max)
}
