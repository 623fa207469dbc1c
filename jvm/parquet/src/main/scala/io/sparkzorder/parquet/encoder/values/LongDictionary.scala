// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.spark.unsafe.Platform

private[encoder] final class LongDictionary extends NumberDictionary(8) {

  private var keys = new Array[Long](0)

  /** By id; the first `size` count. */
  def values: Array[Long] = keys

  override protected def capacity: Int = keys.length
  override protected def resizeKeys(capacity: Int): Unit = keys = java.util.Arrays.copyOf(keys, capacity)
  override protected def slotOf(id: Int): Int = NumberDictionary.slot(keys(id))

  /** Puts the ids of the first `n` values to `ids`, from a place on. */
  def lookUp(values: Array[Long], n: Int, ids: Array[Int], from: Int): Unit = {
    if (keys.length == 0) grow()
    var t = table
    var k = keys
    var mask = t.length - 1
    var i = 0
    while (i < n) {
      val v = values(i)
      var slot = NumberDictionary.slot(v) & mask
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

  override def plain(bytes: Int): Array[Byte] = {
    val out = new Array[Byte](bytes)
    Platform.copyMemory(keys, Platform.LONG_ARRAY_OFFSET, out, Batch.Base, bytes.toLong)
    out
  }
}
