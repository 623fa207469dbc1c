// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.FileCuts

/**
 * Lays points out as a rewrite would lay out the rows they stand for, in memory.
 *
 * @param points
 *   per axis, the coordinates of the points
 */
final class LayoutSimulation(points: IndexedSeq[Array[Double]], curve: Curve) {

  private val sorted = points.map(_.sorted)

  /**
   * The files that a rewrite of some of the points leaves.
   *
   * @param count
   *   the number of files to aim at, 1 or more
   */
  def files(members: Array[Int], count: Int): IndexedSeq[FileBox] =
    if (members.isEmpty) IndexedSeq.empty
    else if (count <= 1) IndexedSeq(boxOf(members.toSeq))
    else {
      val ranks = points.map(axis => ranksOf(members.map(axis)))
      val point = new Array[Long](points.size)
      val positions = members.indices.map { i =>
        for (axis <- point.indices) point(axis) = ranks(axis)(i)
        curve.position(point)
      }.toArray
      val ranges = FileCuts.ranges(positions.sorted, count)
      val starts = ranges.map(_.start).toArray
      val groups = members.indices.groupBy { i =>
        val found = java.util.Arrays.binarySearch(starts, positions(i))
        if (found >= 0) found else -found - 2
      }
      groups.toIndexedSeq.flatMap { case (range, rows) =>
        IndexedSeq.fill(ranges(range).files)(boxOf(rows.map(members(_))))
      }
    }

  /** The mean share of files, over all axes, that a point lookup of one of the points reads. */
  def readShare(files: IndexedSeq[FileBox]): Double = points.indices.map { axis =>
    // Per point the files that begin at or below it, less those that end below it.
    val lows = files.map(_.low(axis)).sorted.toArray
    val highs = files.map(_.high(axis)).sorted.toArray
    var (begun, ended, read) = (0, 0, 0L)
    for (value <- sorted(axis)) {
      while (begun < lows.length && lows(begun) <= value) begun += 1
      while (ended < highs.length && highs(ended) < value) ended += 1
      read += begun - ended
    }
    read.toDouble / math.max(1, sorted(axis).length) / math.max(1, files.size)
  }.sum / points.size

  private def ranksOf(values: Array[Double]): Array[Long] = {
    val ordered = values.sorted
    values.map { v =>
      val found = lowerBound(ordered, v)
      // Of one axis all 63 bits: no long holds 2 ** 63.
      math.scalb(found.toDouble / values.length, curve.bits).toLong
    }
  }

  private def lowerBound(ordered: Array[Double], value: Double): Int = {
    var low = 0
    var high = ordered.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ordered(middle) < value) low = middle + 1 else high = middle
    }
    low
  }

  private def boxOf(members: Seq[Int]): FileBox =
    FileBox(points.map(axis => members.map(axis(_)).min), points.map(axis => members.map(axis(_)).max), 0, 0)
}
