// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import io.sparkzorder.key.{KeyType, LongBounds, SortedBounds, StringBounds, ValueBounds}

import org.apache.spark.unsafe.types.UTF8String

/**
 * [[FileRanges.depthAt]] serialized to executors: how many files may hold a key.
 *
 * Two lookups per key and no allocation. `begun(i)` is the number of files whose low is among the `i` smallest lows,
 * `ended(i)` the same of highs.
 */
final class DepthTable private (
    lows: SortedBounds,
    begun: Array[Int],
    highs: SortedBounds,
    ended: Array[Int],
    unknown: Int)
    extends Serializable {

  @transient private lazy val longs = (lows.asInstanceOf[LongBounds], highs.asInstanceOf[LongBounds])
  @transient private lazy val strings = (lows.asInstanceOf[StringBounds], highs.asInstanceOf[StringBounds])
  @transient private lazy val values = (lows.asInstanceOf[ValueBounds], highs.asInstanceOf[ValueBounds])

  def depth(key: Long): Int = begun(longs._1.upperBound(key)) - ended(longs._2.lowerBound(key)) + unknown

  def depth(key: UTF8String): Int = begun(strings._1.upperBound(key)) - ended(strings._2.lowerBound(key)) + unknown

  def depth(key: AnyRef): Int = begun(values._1.upperBound(key)) - ended(values._2.lowerBound(key)) + unknown

  /** The depth of a key of whatever form, for interpreted evaluation. */
  def depthOf(key: Any): Int = lows match {
    case _: LongBounds => depth(key.asInstanceOf[Long])
    case _: StringBounds => depth(key.asInstanceOf[UTF8String])
    case _: ValueBounds => depth(key.asInstanceOf[AnyRef])
  }
}

object DepthTable {

  def of(ranges: FileRanges, keyType: KeyType): DepthTable = {
    val (lows, highs) = ranges.steps
    def bounds(steps: IndexedSeq[(Any, Int)]) = keyType.bounds(steps.map(_._1).toArray)
    def counts(steps: IndexedSeq[(Any, Int)]) = 0 +: steps.map(_._2).toArray
    new DepthTable(bounds(lows), counts(lows), bounds(highs), counts(highs), ranges.unknown)
  }
}
