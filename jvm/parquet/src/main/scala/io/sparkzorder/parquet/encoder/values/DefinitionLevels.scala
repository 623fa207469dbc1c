// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

/**
 * Which rows of a page have a value: the definition levels of a column that is not nested. Bits are kept only once a
 * NULL was seen.
 */
private[encoder] final class DefinitionLevels {

  private var bits = new Array[Long](0)
  private var out = new Array[Byte](64)

  /** Number of rows, and of those without a value. */
  var rows: Int = 0
  var nulls: Int = 0

  /** Notes rows that all have a value. */
  def addPresent(n: Int): Unit = {
    if (nulls > 0) {
      reserve(rows + n)
      set(rows, rows + n)
    }
    rows += n
  }

  /**
   * Notes the rows of a batch.
   *
   * @param present
   *   gets the offsets of rows that have a value
   * @return
   *   the number of those
   */
  def add(batch: Batch, field: Int, present: Array[Int]): Int = {
    val n = batch.rows
    val offsets = batch.offsets(field)
    reserve(rows + n)
    if (nulls == 0) set(0, rows)
    var found = 0
    var i = 0
    while (i < n) {
      if (!batch.isNull(i, field)) {
        present(found) = offsets(i)
        found += 1
        val row = rows + i
        bits(row >> 6) |= 1L << (row & 63)
      }
      i += 1
    }
    rows += n
    nulls += n - found
    found
  }

  /** Bytes that parquet-java's writer would have put out so far: no run that may go on, no group that is not full. */
  def bufferedBytes: Int = if (nulls == 0) 0 else encode(isEnd = false)

  /** Encodes the levels into `levels`, and returns the number of bytes. */
  def encoded(): Int =
    if (nulls > 0) encode(isEnd = true)
    else if (rows >= 8) putRun(rows, 1, 0)
    else {
      out(0) = 3
      out(1) = ((1 << rows) - 1).toByte
      2
    }

  /** What was encoded last. */
  def levels: Array[Byte] = out

  def clear(): Unit = {
    if (nulls > 0) Arrays.fill(bits, 0, math.min(bits.length, (rows >> 6) + 2), 0L)
    rows = 0
    nulls = 0
  }

  private def reserve(n: Int): Unit =
    if ((n >> 6) + 2 > bits.length) bits = Arrays.copyOf(bits, math.max((n >> 6) + 2, 2 * bits.length))

  private def set(from: Int, until: Int): Unit = {
    var row = from
    while (row < until)
      if ((row & 63) == 0 && row + 64 <= until) {
        bits(row >> 6) = -1L
        row += 64
      } else {
        bits(row >> 6) |= 1L << (row & 63)
        row += 1
      }
  }

  /** As [[RunLengths.encode]], of single bits. Ends before what is open, unless `isEnd`. */
  private def encode(isEnd: Boolean): Int = {
    // Two bytes for eight rows, where runs of eight and groups take turns.
    if (rows / 4 + 32 > out.length) out = new Array[Byte](rows / 2 + 32)
    var (pos, header, groups, i) = (0, -1, 0, 0)
    var isOpen = false
    def endGroups(): Unit = {
      if (header >= 0) out(header) = RunLengths.header(groups)
      header = -1
      groups = 0
    }
    while (i < rows && !isOpen) {
      val group = groupAt(i)
      if (i + 8 <= rows && (group == 0 || group == 0xff)) {
        val end = runEnd(i + 8, group & 1)
        isOpen = end == rows && !isEnd
        if (!isOpen) {
          endGroups()
          pos = putRun(end - i, group & 1, pos)
        }
        i = end
      } else {
        isOpen = i + 8 > rows && !isEnd
        if (!isOpen) {
          if (groups >= RunLengths.MaxGroups) endGroups()
          if (header < 0) {
            header = pos
            pos += 1
          }
          out(pos) = (if (i + 8 > rows) group & ((1 << (rows - i)) - 1) else group).toByte
          pos += 1
          groups += 1
        }
        i += 8
      }
    }
    endGroups()
    pos
  }

  private def putRun(length: Int, value: Int, from: Int): Int = {
    val pos = RunLengths.writeVarInt(length << 1, out, from)
    out(pos) = value.toByte
    pos + 1
  }

  private def groupAt(i: Int): Int = {
    val shift = i & 63
    val low = bits(i >> 6) >>> shift
    val all = if (shift > 56) low | bits((i >> 6) + 1) << (64 - shift) else low
    all.toInt & 0xff
  }

  private def runEnd(from: Int, value: Int): Int = {
    val word = if (value == 1) -1L else 0L
    var i = from
    var goesOn = true
    while (goesOn && i < rows)
      if ((i & 63) == 0 && i + 64 <= rows && bits(i >> 6) == word) i += 64
      else if ((bits(i >> 6) >>> (i & 63) & 1L) == value) i += 1
      else goesOn = false
    i
  }
}
