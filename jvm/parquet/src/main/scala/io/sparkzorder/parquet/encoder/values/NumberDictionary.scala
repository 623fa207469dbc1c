// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

/**
 * Ids of numbers, from 0 in the order of their first appearance: an open-addressing map without objects.
 *
 * @param valueBytes
 *   bytes of a plain value: 4 or 8
 */
private[values] final class NumberDictionary(valueBytes: Int) {
  import NumberDictionary._

  private var keys = new Array[Long](0)

  // Id + 1, or 0; two places for each key.
  private var table = new Array[Int](0)

  /** Number of keys. */
  var size: Int = 0

  /** By id; the first `size` count. */
  def values: Array[Long] = keys

  /** Puts the ids of the first `n` values to `ids`, from a place on. */
  def lookUp(values: Array[Long], n: Int, ids: Array[Int], from: Int): Unit = {
    if (keys.length == 0) grow()
    var t = table
    var k = keys
    var mask = t.length - 1
    var i = 0
    while (i < n) {
      val v = values(i)
      var slot = firstSlot(v) & mask
      var id = t(slot) - 1
      while (id >= 0 && k(id) != v) {
        slot = (slot + 1) & mask
        id = t(slot) - 1
      }
      if (id < 0) {
        id = size
        size += 1
        t(slot) = size
        k(id) = v
        if (size == k.length) {
          grow()
          t = table
          k = keys
          mask = t.length - 1
        }
      }
      ids(from + i) = id
      i += 1
    }
  }

  private def grow(): Unit = {
    keys = Arrays.copyOf(keys, math.max(First, 2 * keys.length))
    table = new Array[Int](2 * keys.length)
    val mask = table.length - 1
    var id = 0
    while (id < size) {
      var slot = firstSlot(keys(id)) & mask
      while (table(slot) != 0) slot = (slot + 1) & mask
      id += 1
      table(slot) = id
    }
  }

  /** The first bytes of the keys' plain values. */
  def plain(bytes: Int): Array[Byte] = {
    val out = new Array[Byte](bytes)
    NumberEncoder.putPlain(keys, bytes / valueBytes, valueBytes, out, 0)
    out
  }

  def heldBytes: Long = 8L * keys.length + 4L * table.length

  def clear(): Unit = {
    size = 0
    keys = new Array[Long](0)
    table = new Array[Int](0)
  }
}

private object NumberDictionary {
  private val First = 1 << 8

  /** High bits are folded into the low ones first: doubles of few digits differ in the high ones only. */
  private def firstSlot(v: Long): Int = (((v ^ (v >>> 32)) * 0x9e3779b97f4a7c15L) >>> 32).toInt
}
