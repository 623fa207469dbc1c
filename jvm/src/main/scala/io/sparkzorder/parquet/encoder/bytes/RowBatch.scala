// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Rows, copied one behind the other: columns are then read from the processor's cache, one after the other.
 *
 * @param fields
 *   number of fields of each row
 */
private[encoder] final class RowBatch(fields: Int) {
  import RowBatch._

  private val bitset = UnsafeRow.calculateBitSetWidthInBytes(fields)
  private val nulls = new Array[Long](bitset / 8)
  private var used = 0

  /** The rows' bytes, with some to spare behind the last one. */
  var bytes: Array[Byte] = new Array[Byte](64 << 10)

  /** Where each row begins in `bytes`; row `n + 1` begins where row `n` ends. */
  val offsets: Array[Int] = new Array[Int](MaxRows + 1)

  /** Number of rows. */
  var rows: Int = 0

  /** Whether a row may be added; one that is larger than a batch gets a batch of its own. */
  def fits(row: UnsafeRow): Boolean =
    rows == 0 || (rows < MaxRows && used.toLong + row.getSizeInBytes <= MaxBytes)

  def add(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    bytes = ByteStrings.grown(bytes, used.toLong + size + Spare)
    Platform.copyMemory(row.getBaseObject, row.getBaseOffset, bytes, Base + used, size.toLong)
    var word = 0
    while (word < nulls.length) {
      nulls(word) |= Platform.getLong(bytes, Base + used + 8L * word)
      word += 1
    }
    rows += 1
    used += size
    offsets(rows) = used
  }

  /** Whether a row of the batch has NULL in a field. */
  def hasNulls(field: Int): Boolean = (nulls(field >> 6) >>> (field & 63) & 1L) != 0L

  def isNull(row: Int, field: Int): Boolean =
    (Platform.getLong(bytes, Base + offsets(row) + 8L * (field >> 6)) >>> (field & 63) & 1L) != 0L

  def clear(): Unit = {
    rows = 0
    used = 0
    Arrays.fill(nulls, 0L)
    if (bytes.length > 4 * MaxBytes) bytes = new Array[Byte](MaxBytes)
  }
}

private[encoder] object RowBatch {

  /** Of the bytes of an array, for Platform. */
  val Base: Long = Platform.BYTE_ARRAY_OFFSET.toLong

  /** With more, columns would be read from the memory in place of the cache. */
  val MaxRows: Int = 1024
  val MaxBytes: Int = 1 << 20

  // Values are read by eight bytes, also their last one.
  private val Spare = 16

  /** Bytes from the beginning of a row to a field's eight bytes. */
  def offsetOf(field: Int, fields: Int): Int = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * field
}
