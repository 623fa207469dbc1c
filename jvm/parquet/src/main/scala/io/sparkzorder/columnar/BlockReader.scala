// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.unsafe.Platform

/**
 * Reads blocks that [[BlockWriter]] wrote side by side: the keys of all of them, then a column of all of them, and so on.
 *
 * @param rows
 *   of all blocks together
 */
private[sparkzorder] final class BlockReader private (blocks: IndexedSeq[Array[Byte]], rows: Int) {
  import BlockReader._

  private val counts = blocks.iterator.map(rowsOf).toArray
  // Where the next part begins in each block.
  private val at = Array.fill(counts.length)(4)

  def keys(): Array[Long] = {
    val all = new Array[Long](rows)
    copyAll(all, Platform.LONG_ARRAY_OFFSET, 8)
    all
  }

  /** The values of a column of numbers, with some bytes to spare. */
  def numbers(width: Int): Array[Byte] = {
    val all = new Array[Byte](width * rows + Spare)
    copyAll(all, Platform.BYTE_ARRAY_OFFSET, width)
    all
  }

  private def copyAll(to: AnyRef, offset: Int, width: Int): Unit = {
    var end = offset.toLong
    var b = 0
    while (b < counts.length) {
      val bytes = width * counts(b)
      Platform.copyMemory(blocks(b), Base + at(b), to, end, bytes.toLong)
      at(b) += bytes
      end += bytes
      b += 1
    }
  }

  /** Bits of the rows whose value is NULL; null where none is. */
  def nulls(): Array[Long] = {
    var bits: Array[Long] = null
    var row = 0
    var b = 0
    while (b < counts.length) {
      val block = blocks(b)
      at(b) += 1
      if (block(at(b) - 1) != 0) {
        if (bits == null) bits = new Array[Long]((rows + 63) / 64)
        var i = 0
        while (i < counts(b)) {
          if ((block(at(b) + (i >> 3)) >>> (i & 7) & 1) != 0) bits((row + i) >> 6) |= 1L << ((row + i) & 63)
          i += 1
        }
        at(b) += (counts(b) + 7) / 8
      }
      row += counts(b)
      b += 1
    }
    bits
  }

  /** Slots and bytes of a column of strings, as [[Columns]] has them; None for more than an array holds. */
  def texts(): Option[Array[Byte]] = {
    val size = 8L * rows + Spare + blocks.indices.iterator.map(b => Platform.getInt(blocks(b), Base + at(b)).toLong).sum
    Option.when(size <= ByteArrays.Max) {
      val all = new Array[Byte](size.toInt)
      var slot = 0
      var end = 8 * rows
      var b = 0
      while (b < counts.length) {
        val block = blocks(b)
        val bytes = Platform.getInt(block, Base + at(b))
        val lengths = at(b) + 4
        val first = lengths + 4 * counts(b)
        System.arraycopy(block, first, all, end, bytes)
        at(b) = first + bytes
        var i = 0
        while (i < counts(b)) {
          val length = Platform.getInt(block, Base + lengths + 4L * i)
          Platform.putLong(all, Base + slot, (end - slot).toLong << 32 | length)
          end += length
          slot += 8
          i += 1
        }
        b += 1
      }
      all
    }
  }
}

private[sparkzorder] object BlockReader {

  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong

  // Byte strings are read by eight bytes.
  private val Spare = 16

  /** None for more rows than an array holds numbers. */
  def of(blocks: IndexedSeq[Array[Byte]]): Option[BlockReader] = {
    val rows = blocks.iterator.map(rowsOf(_).toLong).sum
    Option.when(8 * rows + Spare <= ByteArrays.Max)(new BlockReader(blocks, rows.toInt))
  }

  /** The number of rows of a block. */
  def rowsOf(block: Array[Byte]): Int = Platform.getInt(block, Base)
}
