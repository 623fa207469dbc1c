// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.spark.unsafe.Platform

/**
 * Parquet's hybrid of run lengths and bit packing, byte for byte as parquet-java's `RunLengthBitPackingHybridEncoder`
 * writes it: eight equal values begin a run; all others are packed by eight, at most 63 groups after one header.
 */
private[encoder] object RunLengths {
  import Batch.Base

  /** The most groups of eight packed values after one header of one byte. */
  val MaxGroups: Int = 63

  /** The header of so many groups. */
  def header(groups: Int): Byte = (groups << 1 | 1).toByte

  /** What `encode` may need for `n` values. */
  def maxBytes(n: Int, width: Int): Int = Math.toIntExact((n / 8 + 2L) * (width + 1L) + 32)

  /**
   * Encodes values of `width` bits; there must be eight places after the last value, which it may overwrite.
   *
   * @return
   *   the position after the last byte
   */
  def encode(values: Array[Int], n: Int, width: Int, out: Array[Byte], from: Int): Int = {
    var pos = from
    var header = -1
    var groups = 0
    var i = 0
    while (i < n) {
      val value = values(i)
      if (i + 8 <= n && isRun(values, i)) {
        var end = i + 8
        while (end < n && values(end) == value) end += 1
        if (header >= 0) out(header) = RunLengths.header(groups)
        header = -1
        groups = 0
        pos = writeVarInt((end - i) << 1, out, pos)
        var shift = 0
        while (shift < width) {
          out(pos) = (value >>> shift).toByte
          pos += 1
          shift += 8
        }
        i = end
      } else {
        if (groups >= MaxGroups) {
          out(header) = RunLengths.header(groups)
          header = -1
          groups = 0
        }
        if (header < 0) {
          header = pos
          pos += 1
        }
        var k = n
        while (k < i + 8) {
          values(k) = 0
          k += 1
        }
        pos = pack(values, i, width, out, pos)
        groups += 1
        i += 8
      }
    }
    if (header >= 0) out(header) = RunLengths.header(groups)
    pos
  }

  private def isRun(v: Array[Int], i: Int): Boolean = {
    val x = v(i)
    v(i + 1) == x && v(i + 2) == x && v(i + 3) == x && v(i + 4) == x && v(i + 5) == x && v(i + 6) == x && v(i + 7) == x
  }

  def writeVarInt(value: Int, out: Array[Byte], from: Int): Int = {
    var v = value
    var pos = from
    while ((v & ~0x7f) != 0) {
      out(pos) = ((v & 0x7f) | 0x80).toByte
      pos += 1
      v >>>= 7
    }
    out(pos) = v.toByte
    pos + 1
  }

  /** Packs eight values, the first one lowest. It may write up to eight bytes after what it returns. */
  private def pack(v: Array[Int], i: Int, width: Int, out: Array[Byte], pos: Int): Int = {
    if (width <= 8) {
      val packed =
        v(i).toLong | v(i + 1).toLong << width | v(i + 2).toLong << 2 * width | v(i + 3).toLong << 3 * width |
          v(i + 4).toLong << 4 * width | v(i + 5).toLong << 5 * width | v(i + 6).toLong << 6 * width |
          v(i + 7).toLong << 7 * width
      Platform.putLong(out, Base + pos, packed)
    } else {
      var packed = 0L
      var bits = 0
      var p = pos
      var k = 0
      while (k < 8) {
        packed |= (v(i + k) & 0xffffffffL) << bits
        bits += width
        if (bits >= 32) {
          Platform.putInt(out, Base + p, packed.toInt)
          p += 4
          packed >>>= 32
          bits -= 32
        }
        k += 1
      }
      Platform.putInt(out, Base + p, packed.toInt)
    }
    pos + width
  }
}
