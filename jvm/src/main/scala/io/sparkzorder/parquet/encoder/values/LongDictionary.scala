// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.spark.unsafe.Platform

/** Ids of longs, from 0 in the order of their first appearance: an open-addressing map without objects. */
private[encoder] final class LongDictionary {

  private var table = new Array[Int](0) // id + 1, or 0
  private var keys = new Array[Long](0)
  var size: Int = 0

  /** By id; the first `size` count. */
  def values: Array[Long] = keys

  def value(id: Int): Long = keys(id)

  def lookUp(values: Array[Long], n: Int, ids: Array[Int], from: Int): Unit = {
    if (keys.length == 0) {
      keys = new Array[Long](LongDictionary.First)
      table = new Array[Int](2 * LongDictionary.First)
    }
    var t = table
    var k = keys
    var mask = table.length - 1
    var i = 0
    while (i < n) {
      val v = values(i)
      var slot = LongDictionary.slot(v) & mask
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
          mask = table.length - 1
        }
      }
      ids(from + i) = id
      i += 1
    }
  }

  private def grow(): Unit = {
    keys = java.util.Arrays.copyOf(keys, 2 * keys.length)
    table = new Array[Int](2 * keys.length)
    val mask = table.length - 1
    var id = 0
    while (id < size) {
      var slot = LongDictionary.slot(keys(id)) & mask
      while (table(slot) != 0) slot = (slot + 1) & mask
      id += 1
      table(slot) = id
    }
  }

  def plain(bytes: Int): Array[Byte] = {
    val out = new Array[Byte](bytes)
    Platform.copyMemory(keys, Platform.LONG_ARRAY_OFFSET, out, RowBatch.Base, bytes.toLong)
    out
  }

  def heldBytes: Long = 8L * keys.length + 4L * table.length

  def clear(): Unit = {
    table = new Array[Int](0)
    keys = new Array[Long](0)
    size = 0
  }
}

private[encoder] object LongDictionary {
  private val First = 1 << 8

  /** High bits are folded into the low ones first: doubles of few digits differ in the high ones only. */
  def slot(v: Long): Int = (((v ^ (v >>> 32)) * 0x9e3779b97f4a7c15L) >>> 40).toInt
}
