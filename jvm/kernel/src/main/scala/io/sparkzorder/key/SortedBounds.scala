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
    // The bounds are distinct: one step shows whether the value itself is among them.
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

/**
 * Finds a value's position among sorted longs in about one step instead of seventeen.
 *
 * The span of the values is divided into equal steps, and the guide has the position at which each begins; a binary
 * search goes on from there. It is the guide table of H.-C. Chen and Y. Asau, "On generating random variates from an
 * empirical distribution", AIIE Transactions 6 (1974). A few far outliers would leave all other values in one step, so
 * the steps divide the middle of the values only. No distribution makes it slower than the binary search alone.
 *
 * @param values
 *   distinct values, ascending; not copied
 */
private[key] final class GuideTable(values: Array[Long]) {

  // The guide spans values(left) .. values(right).
  private val left = values.length / 64
  private val right = values.length - 1 - left
  private val base = if (values.isEmpty) 0L else values(left)
  private val top = if (values.isEmpty) -1L else values(right)

  // Steps are powers of two wide, and at most two for each value. The span is an unsigned number.
  private val shift = math.max(0, 63 - java.lang.Long.numberOfLeadingZeros(top - base) - log2(values.length))

  private val places: Array[Int] =
    if (top < base) Array.empty
    else {
      val result = new Array[Int](step(top) + 2)
      var at = 0
      for (i <- left to right)
        while (at <= step(values(i))) { result(at) = i; at += 1 }
      result(at) = right + 1
      result
    }

  private def log2(n: Int): Int = 31 - Integer.numberOfLeadingZeros(math.max(1, n))

  private def step(value: Long): Int = ((value - base) >>> shift).toInt

  /** The number of values below `value`. */
  def lowerBound(value: Long): Int = {
    var low = 0
    var high = values.length
    if (value < base) high = left
    else if (value > top) low = right + 1
    else {
      val at = step(value)
      low = places(at)
      high = places(at + 1)
    }
    while (low < high) {
      val middle = (low + high) >>> 1
      if (values(middle) < value) low = middle + 1 else high = middle
    }
    low
  }
}
