// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import org.apache.spark.sql.catalyst.types.PhysicalDataType
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Distinct values in ascending order, asked for the position of another value among them.
 *
 * `lowerBound(v)` is the number of bounds below `v`, `upperBound(v)` the number of bounds at or below it; both lie in
 * `0 .. size`. One subclass per form of key ([[KeyType]]), so that a lookup neither boxes nor allocates.
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

/** Bounds of a string column; values of a collated column come as collation keys. Compared byte by byte, unsigned. */
final class StringBounds(val values: Array[UTF8String]) extends SortedBounds {
  override def size: Int = values.length

  // Most lookups end at the first eight bytes, as a long; only strings that share them are compared in full.
  @transient private lazy val firsts =
    values.indices.filter(i => i == 0 || head(values(i - 1)) != head(values(i))).toArray
  @transient private lazy val starts = firsts :+ values.length
  @transient private lazy val heads = new LongBounds(firsts.map(i => head(values(i))))

  /** The first eight bytes as a signed long that sorts as they do. */
  private def head(value: UTF8String): Long = value.getPrefix ^ Long.MinValue

  def lowerBound(value: UTF8String): Int = {
    val first = head(value)
    val group = heads.lowerBound(first)
    var low = starts(group)
    if (group < heads.size && heads.values(group) == first) {
      var high = starts(group + 1)
      while (low < high) {
        val middle = (low + high) >>> 1
        if (values(middle).binaryCompare(value) < 0) low = middle + 1 else high = middle
      }
    }
    low
  }

  def upperBound(value: UTF8String): Int = {
    val place = lowerBound(value)
    if (place < values.length && values(place).binaryCompare(value) == 0) place + 1 else place
  }
}

/** Bounds of any other type that Spark can order (wide decimals, binary, structs, arrays), by Spark's own ordering. */
final class ValueBounds(val values: Array[AnyRef], dataType: DataType) extends SortedBounds {
  override def size: Int = values.length

  // Spark's orderings are built from the type, so a task builds its own instead of receiving one.
  @transient private lazy val ordering = PhysicalDataType.ordering(dataType).asInstanceOf[Ordering[Any]]

  def lowerBound(value: AnyRef): Int = {
    var low = 0
    var high = values.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ordering.lt(values(middle), value)) low = middle + 1 else high = middle
    }
    low
  }

  def upperBound(value: AnyRef): Int = {
    val place = lowerBound(value)
    if (place < values.length && ordering.equiv(values(place), value)) place + 1 else place
  }
}
