// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.spark.unsafe.Platform

/** Ids of integers, from 0 in the order of their first appearance: an open-addressing map without objects. */
private[encoder] final class IntDictionary {

  private var table = new Array[Int](0) // id + 1, or 0
  private var keys = new Array[Int](0)
  var size: Int = 0

  /** By id; the first `size` count. */
  def values: Array[Int] = keys

  def value(id: Int): Int = keys(id)

  def lookUp(values: Array[Int], n: Int, ids: Array[Int], from: Int): Unit = {
    if (keys.length == 0) {
      keys = new Array[Int](IntDictionary.First)
      table = new Array[Int](2 * IntDictionary.First)
    }
    var t = table
    var k = keys
    var mask = table.length - 1
    var i = 0
    while (i < n) {
      val v = values(i)
      var slot = LongDictionary.slot(v.toLong) & mask
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
      var slot = LongDictionary.slot(keys(id).toLong) & mask
      while (table(slot) != 0) slot = (slot + 1) & mask
      id += 1
      table(slot) = id
    }
  }

  def plain(bytes: Int): Array[Byte] = {
    val out = new Array[Byte](bytes)
    Platform.copyMemory(keys, Platform.INT_ARRAY_OFFSET, out, RowBatch.Base, bytes.toLong)
    out
  }

  def heldBytes: Long = 4L * keys.length + 4L * table.length

  def clear(): Unit = {
    table = new Array[Int](0)
    keys = new Array[Int](0)
    size = 0
  }
}

private object IntDictionary {
  private val First = 1 << 8
}
