// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import java.util.Arrays

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary

/** The least and the greatest byte string of a page, by unsigned bytes; values near neither are told apart by their prefix. */
private[encoder] final class BytesRange {

  private var (min, max) = (new Array[Byte](64), new Array[Byte](64))
  private var (minLength, maxLength) = (-1, -1)
  private var (minPrefix, maxPrefix) = (0L, 0L)

  /** @param prefix of the value, as [[ByteStrings.prefix]] gives it */
  def add(bytes: Array[Byte], at: Int, length: Int, prefix: Long): Unit =
    if (minLength < 0) {
      setMin(bytes, at, length, prefix)
      setMax(bytes, at, length, prefix)
    } else {
      val low = java.lang.Long.compareUnsigned(prefix, minPrefix)
      if (low < 0 || low == 0 && ByteStrings.compare(bytes, at, length, min, 0, minLength) < 0)
        setMin(bytes, at, length, prefix)
      val high = java.lang.Long.compareUnsigned(prefix, maxPrefix)
      if (high > 0 || high == 0 && ByteStrings.compare(bytes, at, length, max, 0, maxLength) > 0)
        setMax(bytes, at, length, prefix)
    }

  private def setMin(bytes: Array[Byte], at: Int, length: Int, prefix: Long): Unit = {
    if (length > min.length) min = new Array[Byte](length)
    System.arraycopy(bytes, at, min, 0, length)
    minLength = length
    minPrefix = prefix
  }

  private def setMax(bytes: Array[Byte], at: Int, length: Int, prefix: Long): Unit = {
    if (length > max.length) max = new Array[Byte](length)
    System.arraycopy(bytes, at, max, 0, length)
    maxLength = length
    maxPrefix = prefix
  }

  def addTo(statistics: Statistics[_]): Unit = {
    statistics.updateStats(Binary.fromConstantByteArray(Arrays.copyOf(min, minLength)))
    statistics.updateStats(Binary.fromConstantByteArray(Arrays.copyOf(max, maxLength)))
  }

  def clear(): Unit = {
    if (min.length > BytesRange.MaxKept) min = new Array[Byte](64)
    if (max.length > BytesRange.MaxKept) max = new Array[Byte](64)
    minLength = -1
    maxLength = -1
  }
}

private object BytesRange {
  private val MaxKept = 64 << 10
}
