// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

import io.sparkzorder.columnar.{ByteArrays, Columns, ColumnsRow}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows to encode, in their order. */
private[encoder] abstract class Batch {

  /** Number of rows. */
  def rows: Int

  /** The bytes in which a column's values are, with eight to spare after the last one. */
  def bytes(field: Int): Array[Byte]

  /** Where each row begins in a column's bytes; valid until the next call. */
  def offsets(field: Int): Array[Int]

  /** Bytes from the beginning of a row to its value in a column. */
  def offsetOf(field: Int): Int

  /** Whether one of these rows has NULL in a column. */
  def hasNulls(field: Int): Boolean

  def isNull(row: Int, field: Int): Boolean
}

private[encoder] object Batch {

  /** Of the bytes of an array, for Platform. */
  val Base: Long = Platform.BYTE_ARRAY_OFFSET.toLong

  /** With more, columns would be read from the memory in place of the cache. */
  val MaxRows: Int = 1024
  val MaxBytes: Int = 1 << 20
}

/**
 * Rows, copied one after the other: columns are then read from the processor's cache, one after the other.
 *
 * @param fields
 *   number of fields of each row
 */
private[encoder] final class RowBatch(fields: Int) extends Batch {
  import Batch._
  import RowBatch._

  private val bitset = UnsafeRow.calculateBitSetWidthInBytes(fields)
  private val nulls = new Array[Long](bitset / 8)
  private var used = 0

  /** The rows' bytes, with some to spare after the last one. */
  var array: Array[Byte] = new Array[Byte](64 << 10)

  /** Where each row begins in `array`; row `n + 1` begins where row `n` ends. */
  val starts: Array[Int] = new Array[Int](MaxRows + 1)

  var rows: Int = 0

  override def bytes(field: Int): Array[Byte] = array
  override def offsets(field: Int): Array[Int] = starts
  override def offsetOf(field: Int): Int = bitset + 8 * field

  /** Whether a row may be added; one that is larger than a batch gets a batch of its own. */
  def fits(row: UnsafeRow): Boolean =
    rows == 0 || (rows < MaxRows && used.toLong + row.getSizeInBytes <= MaxBytes)

  def add(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    array = ByteArrays.grown(array, used.toLong + size + Spare)
    Platform.copyMemory(row.getBaseObject, row.getBaseOffset, array, Base + used, size.toLong)
    var word = 0
    while (word < nulls.length) {
      nulls(word) |= Platform.getLong(array, Base + used + 8L * word)
      word += 1
    }
    rows += 1
    used += size
    starts(rows) = used
  }

  override def hasNulls(field: Int): Boolean = (nulls(field >> 6) >>> (field & 63) & 1L) != 0L

  override def isNull(row: Int, field: Int): Boolean =
    (Platform.getLong(array, Base + starts(row) + 8L * (field >> 6)) >>> (field & 63) & 1L) != 0L

  def clear(): Unit = {
    rows = 0
    used = 0
    Arrays.fill(nulls, 0L)
    if (array.length > 4 * MaxBytes) array = new Array[Byte](MaxBytes)
  }
}

private object RowBatch {
  // Values are read by eight bytes, also their last one.
  private val Spare = 16
}

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
