// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/**
 * Values of four bytes: INT32 and FLOAT.
 *
 * @param width
 *   bytes of the value in a row: 1, 2, 4, or 8 for decimals
 */
private[encoder] final class IntEncoder(
    width: Int,
    isFloat: Boolean,
    isDictionaryEnabled: Boolean,
    maxDictionaryBytes: Int)
    extends NumberEncoder(4, isDictionaryEnabled, maxDictionaryBytes) {
  import Batch.Base

  private val values = new Array[Int](Batch.MaxRows)
  // Of floats: in their total order, as integers.
  private var (min, max) = (Int.MaxValue, Int.MinValue)
  override protected val dictionary = new IntDictionary

  override protected def read(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    val at = Base + field
    var i = 0
    if (width == 1) while (i < n) {
      values(i) = Platform.getByte(bytes, at + offsets(i)).toInt
      i += 1
    }
    else if (width == 2) while (i < n) {
      values(i) = Platform.getShort(bytes, at + offsets(i)).toInt
      i += 1
    }
    // The lower half of eight bytes is their first one: Spark's rows and Parquet's values have the low byte first here.
    else while (i < n) {
      values(i) = Platform.getInt(bytes, at + offsets(i))
      i += 1
    }
    if (isFloat) noteFloats(n) else noteInts(n)
  }

  private def noteInts(n: Int): Unit = {
    var low = min
    var high = max
    var i = 0
    while (i < n) {
      val v = values(i)
      low = Math.min(low, v)
      high = Math.max(high, v)
      i += 1
    }
    min = low
    max = high
  }

  private def noteFloats(n: Int): Unit = {
    var low = min
    var high = max
    var i = 0
    while (i < n) {
      var v = values(i)
      if ((v & Int.MaxValue) > IntEncoder.Infinity) {
        v = IntEncoder.NaN
        hasNaN = true
      }
      v ^= (v >> 31) & Int.MaxValue
      low = Math.min(low, v)
      high = Math.max(high, v)
      i += 1
    }
    min = low
    max = high
  }

  override protected def putPlain(bytes: Array[Byte], n: Int): Unit = {
    page.reserve(4L * n)
    if (hasNaN) unifyNaN(values, n)
    Platform.copyMemory(values, Platform.INT_ARRAY_OFFSET, page.bytes, Base + page.end, 4L * n)
    page.end += 4 * n
  }

  override protected def lookUp(bytes: Array[Byte], n: Int): Unit = dictionary.lookUp(values, n, ids, count)

  override protected def putPlainOfIds(): Unit = {
    page.reserve(plainBytes)
    val plain = dictionary.values
    var i = 0
    while (i < count) {
      Platform.putInt(page.bytes, Base + page.end + 4L * i, unified(plain(ids(i))))
      i += 1
    }
    page.end += 4 * count
  }

  /** Parquet-java writes one NaN, whatever its bits were. Its dictionaries distinguish NaNs nonetheless. */
  private def unifyNaN(values: Array[Int], n: Int): Unit = {
    var i = 0
    while (i < n) {
      values(i) = unified(values(i))
      i += 1
    }
  }

  private def unified(v: Int): Int = if (hasNaN && (v & Int.MaxValue) > IntEncoder.Infinity) IntEncoder.NaN else v

  override protected def unifyDictionary(): Unit = unifyNaN(dictionary.values, dictionary.size)

  override def addTo(statistics: Statistics[_]): Unit =
    if (isFloat) {
      statistics.updateStats(floatOf(min))
      statistics.updateStats(floatOf(max))
    } else {
      statistics.updateStats(min)
      statistics.updateStats(max)
    }

  private def floatOf(v: Int): Float = java.lang.Float.intBitsToFloat(v ^ ((v >> 31) & Int.MaxValue))

  override def clearPage(): Unit = {
    super.clearPage()
    min = Int.MaxValue
    max = Int.MinValue
  }
}

private object IntEncoder {
  private val Infinity = 0x7f800000
  private val NaN = 0x7fc00000
}
