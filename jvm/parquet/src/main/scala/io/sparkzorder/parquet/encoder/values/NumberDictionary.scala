// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

/**
 * Ids of numbers, from 0 in the order of their first appearance: an open-addressing map without objects. The loops over
 * keys stand in the classes of their primitive type.
 *
 * @param keyBytes
 *   bytes of a number
 */
private[encoder] abstract class NumberDictionary(keyBytes: Int) {

  /** Id + 1, or 0; at least two places for each key. */
  protected var table: Array[Int] = new Array[Int](0)

  /** Number of keys. */
  var size: Int = 0

  protected def capacity: Int

  /** Makes room for so many keys, and keeps those that are there. */
  protected def resizeKeys(capacity: Int): Unit

  /** Where the search for a key begins, before the table's mask. */
  protected def slotOf(id: Int): Int

  /** The first bytes of the keys' plain values. */
  def plain(bytes: Int): Array[Byte]

  protected final def grow(): Unit = {
    resizeKeys(math.max(NumberDictionary.First, 2 * capacity))
    table = new Array[Int](2 * capacity)
    val mask = table.length - 1
    var id = 0
    while (id < size) {
      var slot = slotOf(id) & mask
      while (table(slot) != 0) slot = (slot + 1) & mask
      id += 1
      table(slot) = id
    }
  }

  def heldBytes: Long = keyBytes.toLong * capacity + 4L * table.length

  def clear(): Unit = {
    size = 0
    resizeKeys(0)
    table = new Array[Int](0)
  }
}

private object NumberDictionary {
  private val First = 1 << 8

  /** High bits are folded into the low ones first: doubles of few digits differ in the high ones only. */
  def slot(v: Long): Int = (((v ^ (v >>> 32)) * 0x9e3779b97f4a7c15L) >>> 32).toInt
}
