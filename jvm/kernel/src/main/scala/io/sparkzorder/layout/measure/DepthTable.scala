// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import io.sparkzorder.key.{KeyOrder, LongBounds, ObjectBounds, SortedBounds}

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
  @transient private lazy val objects = (lows.asInstanceOf[ObjectBounds], highs.asInstanceOf[ObjectBounds])

  def depth(key: Long): Int = begun(longs._1.upperBound(key)) - ended(longs._2.lowerBound(key)) + unknown

  def depth(key: AnyRef): Int = begun(objects._1.upperBound(key)) - ended(objects._2.lowerBound(key)) + unknown

  /** The depth of a key of whatever form, for interpreted evaluation. */
  def depthOf(key: Any): Int = lows match {
    case _: LongBounds => depth(key.asInstanceOf[Long])
    case _: ObjectBounds => depth(key.asInstanceOf[AnyRef])
  }
}

object DepthTable {

  def of(ranges: FileRanges, order: KeyOrder): DepthTable = {
    val (lows, highs) = ranges.steps
    def bounds(steps: IndexedSeq[(Any, Int)]) = order.bounds(steps.map(_._1).toArray)
    def counts(steps: IndexedSeq[(Any, Int)]) = 0 +: steps.map(_._2).toArray
    new DepthTable(bounds(lows), counts(lows), bounds(highs), counts(highs), ranges.unknown)
  }
}
