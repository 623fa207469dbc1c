// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import io.sparkzorder.columnar.ByteArrays

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Rows, copied one behind the other: columns are then read from the processor's cache, one after the other.
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

  /** The rows' bytes, with some to spare behind the last one. */
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
