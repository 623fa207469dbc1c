// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/**
 * Numbers: INT32 and FLOAT, which have four bytes in a file, INT64 and DOUBLE, which have eight. Here all of them are longs,
 * so that one loop serves them all: the bits of a float are a number of four bytes.
 *
 * @param width
 *   bytes of the value in a row: 1, 2, 4 or 8
 * @param valueBytes
 *   bytes of a plain value: 4 or 8
 */
private[encoder] final class NumberEncoder(
    width: Int,
    valueBytes: Int,
    isFloating: Boolean,
    isDictionaryEnabled: Boolean,
    maxDictionaryBytes: Int)
    extends DictionaryEncoder(isDictionaryEnabled, maxDictionaryBytes) {
  import Batch.Base

  private val values = new Array[Long](Batch.MaxRows)
  private val dictionary = new NumberDictionary(valueBytes)
  // Of floats: in their total order, as integers.
  private var (min, max) = (Long.MaxValue, Long.MinValue)
  // In the file so far.
  private var hasNaN = false

  private val isShort = valueBytes == 4
  private val magnitude = if (isShort) Int.MaxValue.toLong else Long.MaxValue
  private val infinity = if (isShort) 0x7f800000L else 0x7ff0000000000000L
  private val oneNaN = if (isShort) 0x7fc00000L else 0x7ff8000000000000L

  override def plainBytes: Long = valueBytes.toLong * count

  override protected def read(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    val at = Base + field
    var i = 0
    if (width == 8) while (i < n) {
      values(i) = Platform.getLong(bytes, at + offsets(i))
      i += 1
    }
    else if (width == 4) while (i < n) {
      values(i) = Platform.getInt(bytes, at + offsets(i)).toLong
      i += 1
    }
    else if (width == 2) while (i < n) {
      values(i) = Platform.getShort(bytes, at + offsets(i)).toLong
      i += 1
    }
    else while (i < n) {
      values(i) = Platform.getByte(bytes, at + offsets(i)).toLong
      i += 1
    }
    if (isFloating) noteFloating(n) else noteIntegers(n)
  }

  private def noteIntegers(n: Int): Unit = {
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

  private def noteFloating(n: Int): Unit = {
    var low = min
    var high = max
    var i = 0
    while (i < n) {
      var v = values(i)
      if ((v & magnitude) > infinity) {
        v = oneNaN
        hasNaN = true
      }
      v = ordered(v)
      low = Math.min(low, v)
      high = Math.max(high, v)
      i += 1
    }
    min = low
    max = high
  }

  /** The bits of a floating-point number as an integer of the same order, and back. */
  private def ordered(v: Long): Long = v ^ ((v >> 63) & magnitude)

  override protected def lookUp(bytes: Array[Byte], n: Int): Unit = dictionary.lookUp(values, n, ids, count)

  override protected def putPlain(bytes: Array[Byte], n: Int): Unit = {
    page.reserve(valueBytes.toLong * n)
    if (hasNaN) unifyNaN(values, n)
    NumberEncoder.putPlain(values, n, valueBytes, page.bytes, page.end)
    page.end += valueBytes * n
  }

  override protected def putPlainOfIds(): Unit = {
    page.reserve(plainBytes)
    val plain = dictionary.values
    val at = Base + page.end
    var i = 0
    if (isShort) while (i < count) {
      Platform.putInt(page.bytes, at + 4L * i, unified(plain(ids(i))).toInt)
      i += 1
    }
    else while (i < count) {
      Platform.putLong(page.bytes, at + 8L * i, unified(plain(ids(i))))
      i += 1
    }
    page.end += valueBytes * count
  }

  /** Parquet-java writes one NaN, whatever its bits were. Its dictionaries distinguish NaNs nonetheless. */
  private def unifyNaN(values: Array[Long], n: Int): Unit = {
    var i = 0
    while (i < n) {
      values(i) = unified(values(i))
      i += 1
    }
  }

  private def unified(v: Long): Long = if (hasNaN && (v & magnitude) > infinity) oneNaN else v

  override protected def dictionaryValues: Int = dictionary.size

  override protected def dictionaryBytes: Long = valueBytes.toLong * dictionary.size

  override protected def dictionaryPlain(bytes: Int): BytesInput = {
    // Nothing is looked up in the dictionary any more.
    if (hasNaN) unifyNaN(dictionary.values, dictionary.size)
    BytesInput.from(dictionary.plain(bytes))
  }

  override protected def dropDictionary(): Unit = dictionary.clear()

  override def heldBytes: Long = super.heldBytes + dictionary.heldBytes

  override def addTo(statistics: Statistics[_]): Unit = Seq(min, max).foreach { v =>
    if (!isFloating) { if (isShort) statistics.updateStats(v.toInt) else statistics.updateStats(v) }
    else if (isShort) statistics.updateStats(java.lang.Float.intBitsToFloat(ordered(v).toInt))
    else statistics.updateStats(java.lang.Double.longBitsToDouble(ordered(v)))
  }

  override def clearPage(): Unit = {
    super.clearPage()
    min = Long.MaxValue
    max = Long.MinValue
  }
}

private[values] object NumberEncoder {

  /** Puts the first `n` values into some bytes, of `valueBytes` each, from a place on. */
  def putPlain(values: Array[Long], n: Int, valueBytes: Int, to: Array[Byte], from: Int): Unit =
    if (valueBytes == 8) Platform.copyMemory(values, Platform.LONG_ARRAY_OFFSET, to, Batch.Base + from, 8L * n)
    else {
      val at = Batch.Base + from
      var i = 0
      while (i < n) {
        Platform.putInt(to, at + 4L * i, values(i).toInt)
        i += 1
      }
    }
}
