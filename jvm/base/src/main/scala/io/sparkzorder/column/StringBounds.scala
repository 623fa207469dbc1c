// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.key.{LongBounds, ObjectBounds}

import org.apache.spark.unsafe.types.UTF8String

/** Bounds of a string column; values of a collated column come as collation keys. Compared byte by byte, unsigned. */
final class StringBounds(val values: Array[UTF8String]) extends ObjectBounds {
  override def size: Int = values.length

  // Most lookups end at the first eight bytes, as a long; only strings that share them are compared in full.
  @transient private lazy val firsts =
    values.indices.filter(i => i == 0 || head(values(i - 1)) != head(values(i))).toArray
  @transient private lazy val starts = firsts :+ values.length
  @transient private lazy val heads = new LongBounds(firsts.map(i => head(values(i))))

  /** The first eight bytes as a signed long that sorts as they do. */
  private def head(value: UTF8String): Long = value.getPrefix ^ Long.MinValue

  override def lowerBound(key: AnyRef): Int = lowerBound(key.asInstanceOf[UTF8String])

  private def lowerBound(value: UTF8String): Int = {
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

  override def upperBound(key: AnyRef): Int = {
    val value = key.asInstanceOf[UTF8String]
    val place = lowerBound(value)
    if (place < values.length && values(place).binaryCompare(value) == 0) place + 1 else place
  }
}
