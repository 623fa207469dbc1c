// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import org.apache.spark.unsafe.Platform

/** Byte strings within arrays that have eight bytes to spare behind each of them. */
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
