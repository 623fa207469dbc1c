// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.{CellAspect, FileCuts}

/**
 * Lays points out as a rewrite would lay out the rows they stand for, in memory.
 *
 * @param points
 *   per axis, the coordinates of the points
 */
final class LayoutSimulation(points: IndexedSeq[Array[Double]], curve: Curve) {
  import LayoutSimulation._

  private val sorted = points.map(_.sorted)

  /**
   * The files that a rewrite of some of the points leaves.
   *
   * @param count
   *   the number of files to aim at, 1 or more
   */
  def files(members: Array[Int], count: Int, aspect: CellAspect): IndexedSeq[FileBox] =
    ranges(members, count, aspect).flatMap { case (rows, files) => IndexedSeq.fill(files)(boxOf(rows)) }

  /** The points of each range of the curve, with the number of files that share them. */
  def ranges(members: Array[Int], count: Int, aspect: CellAspect): IndexedSeq[(Array[Int], Int)] =
    if (members.isEmpty) IndexedSeq.empty
    else if (count <= 1) IndexedSeq((members, 1))
    else {
      val ranks = points.map(axis => ranksOf(members.map(axis)))
      val point = new Array[Long](points.size)
      val positions = members.indices.map { i =>
        for (axis <- point.indices) point(axis) = ranks(axis)(i) >>> aspect.shift(axis)
        curve.position(point)
      }.toArray
      val ranges = FileCuts.ranges(positions.sorted, count)
      val starts = ranges.map(_.start).toArray
      val groups = members.indices.groupBy { i =>
        val found = java.util.Arrays.binarySearch(starts, positions(i))
        if (found >= 0) found else -found - 2
      }
      groups.toIndexedSeq.sortBy(_._1).map { case (range, rows) =>
        (rows.map(members(_)).toArray, ranges(range).files)
      }
    }

  /** Per axis, the share of all points' ranks that some of them span, but for a few of them at both ends. */
  def extents(members: Array[Int]): IndexedSeq[Double] = points.indices.map { axis =>
    val values = members.map(points(axis)).sorted
    val outside = (values.length * Outliers).toInt
    val (low, high) = (values(outside), values(values.length - 1 - outside))
    val all = sorted(axis)
    (lowerBound(all, math.nextUp(high)) - lowerBound(all, low)).toDouble / all.length
  }

  /** Per axis, the share of files that a point lookup of one of the points reads. */
  def readShares(files: IndexedSeq[FileBox]): IndexedSeq[Double] = points.indices.map { axis =>
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
  }

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

  private def boxOf(members: Array[Int]): FileBox = {
    def bound(axis: Array[Double], of: (Double, Double) => Double) = {
      var found = axis(members.head)
      for (m <- members) found = of(found, axis(m))
      found
    }
    FileBox(points.map(bound(_, math.min)), points.map(bound(_, math.max)), 0, 0)
  }
}

object LayoutSimulation {

  // A row that comes late should not decide how a load is shaped.
  private val Outliers = 0.02
}
