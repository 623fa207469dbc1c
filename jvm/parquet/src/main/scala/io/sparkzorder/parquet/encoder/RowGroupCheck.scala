// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.parquet.column.ParquetProperties

/** When row groups end: as parquet-java's `InternalParquetRecordWriter` decides it. One for each file. */
private[encoder] final class RowGroupCheck(properties: ParquetProperties) {

  private val min = properties.getMinRowCountForPageSizeCheck.toLong
  private val max = properties.getMaxRowCountForPageSizeCheck.toLong

  /** Rows behind which a row group ends whatever its size. */
  val maxRows: Long = properties.getRowGroupRowCountLimit.toLong

  /** The number of the row group's rows behind which its size is looked at next. */
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
