// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import io.sparkzorder.columnar.{Columns, ColumnsRow}

/** Rows of columns in memory, of which only the numbers are kept: their values are read where they are. */
private[encoder] final class SelectedRows extends Batch {

  private var columns: Columns = _
  private val selected = new Array[Int](Batch.MaxRows)
  private val slots = new Array[Int](Batch.MaxRows)

  var rows: Int = 0

  // Whether rows may be so large that so many of them are more bytes than a batch should have, and the bytes so far.
  private var isLarge = false
  private var used = 0L

  /** Whether a row may be added; one that is larger than a batch gets a batch of its own. */
  def fits(row: ColumnsRow): Boolean = rows == 0 || rows < Batch.MaxRows && (row.columns eq columns) &&
    (!isLarge || used + columns.bytesOf(row.index) <= Batch.MaxBytes)

  def add(row: ColumnsRow): Unit = {
    if (rows == 0) {
      columns = row.columns
      isLarge = columns.largestRow * Batch.MaxRows > Batch.MaxBytes
    }
    if (isLarge) used += columns.bytesOf(row.index)
    selected(rows) = row.index
    rows += 1
  }

  override def bytes(field: Int): Array[Byte] = columns.data(field)

  override def offsets(field: Int): Array[Int] = {
    val width = columns.widths(field)
    var i = 0
    while (i < rows) {
      slots(i) = width * selected(i)
      i += 1
    }
    slots
  }

  override def offsetOf(field: Int): Int = 0

  override def hasNulls(field: Int): Boolean = columns.hasNulls(field) && {
    var i = 0
    while (i < rows && !isNull(i, field)) i += 1
    i < rows
  }

  override def isNull(row: Int, field: Int): Boolean = columns.isNull(selected(row), field)

  def clear(): Unit = {
    rows = 0
    used = 0L
    columns = null
  }
}
