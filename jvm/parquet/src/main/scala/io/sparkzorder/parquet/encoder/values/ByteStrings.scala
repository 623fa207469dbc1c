// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform

/** Byte strings within arrays that have eight bytes to spare after each of them. */
private[encoder] object ByteStrings {
  import Batch.Base

  private val Multiplier = 0x9e3779b97f4a7c15L

  /** The first eight bytes as an unsigned number that orders as they do; 0 stands for bytes that are missing. */
  def prefix(bytes: Array[Byte], at: Int, length: Int): Long = {
    val first = java.lang.Long.reverseBytes(Platform.getLong(bytes, Base + at))
    if (length >= 8) first else if (length == 0) 0L else first & (-1L << (64 - 8 * length))
  }

  def compare(a: Array[Byte], aAt: Int, aLength: Int, b: Array[Byte], bAt: Int, bLength: Int): Int =
    java.util.Arrays.compareUnsigned(a, aAt, aAt + aLength, b, bAt, bAt + bLength)

  def hash(bytes: Array[Byte], at: Int, length: Int, prefix: Long): Long = {
    var h = prefix ^ length
    var k = 8
    while (k + 8 <= length) {
      h = (java.lang.Long.rotateLeft(h, 29) ^ Platform.getLong(bytes, Base + at + k)) * Multiplier
      k += 8
    }
    if (k < length) h = (java.lang.Long.rotateLeft(h, 29) ^ this.prefix(bytes, at + k, length - k)) * Multiplier
    // Short values differ in the upper bytes only.
    h = (h ^ (h >>> 32)) * Multiplier
    h ^ (h >>> 32)
  }

  /** Copies a byte string to where at least eight bytes more may be overwritten. */
  def copy(from: Array[Byte], at: Int, length: Int, to: Array[Byte], toAt: Int): Unit =
    if (length > 32) System.arraycopy(from, at, to, toAt, length)
    else {
      var k = 0
      while (k < length) {
        Platform.putLong(to, Base + toAt + k, Platform.getLong(from, Base + at + k))
        k += 8
      }
    }
}

/**
 * The least and the greatest byte string of a page, by unsigned bytes; values near neither are distinguished by their
 * prefix.
 */
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
