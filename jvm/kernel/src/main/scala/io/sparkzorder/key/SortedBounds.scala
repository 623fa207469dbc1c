// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

/**
 * Distinct keys in ascending order, asked for the position of another key among them.
 *
 * `lowerBound(k)` is the number of bounds below `k`, `upperBound(k)` the number of bounds at or below it; both lie in
 * `0 .. size`. Longs and objects have a subclass each, so that a lookup neither boxes nor allocates.
 */
sealed abstract class SortedBounds extends Serializable {
  def size: Int
}

/** Bounds of a column whose key is a long ([[OrderedBits]]). */
final class LongBounds(val values: Array[Long]) extends SortedBounds {
  override def size: Int = values.length

  // Derived from the values, so each task builds its own instead of receiving one.
  @transient private lazy val guide = new GuideTable(values)

  def lowerBound(value: Long): Int = guide.lowerBound(value)

  def upperBound(value: Long): Int = {
    // The bounds are distinct: one step tells whether the value itself is among them.
    val place = lowerBound(value)
    if (place < values.length && values(place) == value) place + 1 else place
  }
}

/** Bounds that are objects. */
abstract class ObjectBounds extends SortedBounds {

  def lowerBound(key: AnyRef): Int

  def upperBound(key: AnyRef): Int
}

/** Bounds of which no more is known than their order. */
final class ComparedBounds(val values: Array[AnyRef], order: KeyOrder) extends ObjectBounds {
  override def size: Int = values.length

  override def lowerBound(key: AnyRef): Int = {
    var low = 0
    var high = values.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.compare(values(middle), key) < 0) low = middle + 1 else high = middle
    }
    low
  }

  override def upperBound(key: AnyRef): Int = {
    val place = lowerBound(key)
    if (place < values.length && order.compare(values(place), key) == 0) place + 1 else place
  }
}
