// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/**
 * Values of eight bytes: INT64 and DOUBLE.
 */
private[encoder] final class LongEncoder(
    isDouble: Boolean,
    isDictionaryEnabled: Boolean,
    maxDictionaryBytes: Int)
    extends NumberEncoder(8, isDictionaryEnabled, maxDictionaryBytes) {
  import Batch.Base

  private val values = new Array[Long](Batch.MaxRows)
  // Of doubles: in their total order, as longs.
  private var (min, max) = (Long.MaxValue, Long.MinValue)
  override protected val dictionary = new LongDictionary

  override protected def read(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    val at = Base + field
    var i = 0
    while (i < n) {
      values(i) = Platform.getLong(bytes, at + offsets(i))
      i += 1
    }
    if (isDouble) noteDoubles(n) else noteLongs(n)
  }

  private def noteLongs(n: Int): Unit = {
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

  private def noteDoubles(n: Int): Unit = {
    var low = min
    var high = max
    var i = 0
    while (i < n) {
      var v = values(i)
      if ((v & Long.MaxValue) > LongEncoder.Infinity) {
        v = LongEncoder.NaN
        hasNaN = true
      }
      v ^= (v >> 63) & Long.MaxValue
      low = Math.min(low, v)
      high = Math.max(high, v)
      i += 1
    }
    min = low
    max = high
  }

  override protected def putPlain(bytes: Array[Byte], n: Int): Unit = {
    page.reserve(8L * n)
    if (hasNaN) unifyNaN(values, n)
    Platform.copyMemory(values, Platform.LONG_ARRAY_OFFSET, page.bytes, Base + page.end, 8L * n)
    page.end += 8 * n
  }

  override protected def lookUp(bytes: Array[Byte], n: Int): Unit = dictionary.lookUp(values, n, ids, count)

  override protected def putPlainOfIds(): Unit = {
    page.reserve(plainBytes)
    val plain = dictionary.values
    var i = 0
    while (i < count) {
      Platform.putLong(page.bytes, Base + page.end + 8L * i, unified(plain(ids(i))))
      i += 1
    }
    page.end += 8 * count
  }

  /** Parquet-java writes one NaN, whatever its bits were. Its dictionaries distinguish NaNs nonetheless. */
  private def unifyNaN(values: Array[Long], n: Int): Unit = {
    var i = 0
    while (i < n) {
      values(i) = unified(values(i))
      i += 1
    }
  }

  private def unified(v: Long): Long = if (hasNaN && (v & Long.MaxValue) > LongEncoder.Infinity) LongEncoder.NaN else v

  override protected def unifyDictionary(): Unit = unifyNaN(dictionary.values, dictionary.size)

  override def addTo(statistics: Statistics[_]): Unit =
    if (isDouble) {
      statistics.updateStats(doubleOf(min))
      statistics.updateStats(doubleOf(max))
    } else {
      statistics.updateStats(min)
      statistics.updateStats(max)
    }

  private def doubleOf(v: Long): Double = java.lang.Double.longBitsToDouble(v ^ ((v >> 63) & Long.MaxValue))

  override def clearPage(): Unit = {
    super.clearPage()
    min = Long.MaxValue
    max = Long.MinValue
  }
}

private object LongEncoder {
  private val Infinity = 0x7ff0000000000000L
  private val NaN: Long = 0x7ff8000000000000L
}
