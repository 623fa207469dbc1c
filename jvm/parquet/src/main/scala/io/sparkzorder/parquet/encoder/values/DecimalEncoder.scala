// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.nio.ByteBuffer

import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform

/**
 * Decimals of more than 18 digits: FIXED_LEN_BYTE_ARRAY, in two's complement with the highest byte first. Rows have as
 * few bytes of them as their value needs. Files of version 1 have no dictionaries of this form.
 *
 * @param width
 *   bytes of each encoded value, 9 to 16
 */
private[encoder] final class DecimalEncoder(width: Int) extends ValuesEncoder {
  import Batch.Base

  private var (minHigh, minLow, maxHigh, maxLow) = (0L, 0L, 0L, 0L)

  override def add(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    page.reserve(width.toLong * n)
    var i = 0
    while (i < n) {
      val value = Platform.getLong(bytes, Base + field + offsets(i))
      put(bytes, offsets(i) + (value >>> 32).toInt, value.toInt)
      i += 1
    }
  }

  private def put(bytes: Array[Byte], at: Int, length: Int): Unit = {
    var high = if (length > 0 && bytes(at) < 0) -1L else 0L
    var low = high
    var k = 0
    while (k < length) {
      high = high << 8 | low >>> 56
      low = low << 8 | bytes(at + k) & 0xffL
      k += 1
    }
    k = page.end + width
    // From the lowest byte on; the highest ones only hold the sign.
    var h = high
    var l = low
    while (k > page.end) {
      k -= 1
      page.bytes(k) = l.toByte
      l = l >>> 8 | h << 56
      h >>= 8
    }
    page.end += width
    note(high, low)
    count += 1
  }

  private def note(high: Long, low: Long): Unit = {
    if (count == 0 || isLess(high, low, minHigh, minLow)) {
      minHigh = high
      minLow = low
    }
    if (count == 0 || isLess(maxHigh, maxLow, high, low)) {
      maxHigh = high
      maxLow = low
    }
  }

  private def isLess(aHigh: Long, aLow: Long, bHigh: Long, bLow: Long): Boolean =
    aHigh < bHigh || aHigh == bHigh && java.lang.Long.compareUnsigned(aLow, bLow) < 0

  override def plainBytes: Long = width.toLong * count

  override def finishPage(): Encoding = Encoding.PLAIN

  override def addTo(statistics: Statistics[_]): Unit = {
    statistics.updateStats(binary(minHigh, minLow))
    statistics.updateStats(binary(maxHigh, maxLow))
  }

  private def binary(high: Long, low: Long): Binary =
    Binary.fromConstantByteArray(ByteBuffer.allocate(16).putLong(high).putLong(low).array, 16 - width, width)
}
