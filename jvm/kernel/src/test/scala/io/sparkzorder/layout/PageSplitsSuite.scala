// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class PageSplitsSuite extends AnyFunSuite {

  /** The same in the plainest way: sorted lists, cut. */
  private def naive(points: Seq[Seq[Long]], pagePoints: Int, axis: Int): Seq[Seq[Seq[Long]]] = {
    val pages = (points.size - 1) / pagePoints + 1
    if (pages <= 1) Seq(points)
    else {
      val below = math.min(pages - 1, math.max(1, math.round(points.size / 2.0 / pagePoints).toInt)) * pagePoints
      val axes = points.head.size
      val cut = (0 until axes).map(i => (axis + i) % axes).find(a => points.map(_(a)).distinct.size > 1).getOrElse(axis)
      val (low, high) = points.sortBy(_(cut)).splitAt(below)
      naive(low, pagePoints, (cut + 1) % axes) ++ naive(high, pagePoints, (cut + 1) % axes)
    }
  }

  private def divided(points: IndexedSeq[Seq[Long]], pagePoints: Int): Seq[Seq[Seq[Long]]] = {
    val coordinates = points.head.indices.map(axis => points.map(_(axis)).toArray)
    val pageOf = PageSplits.of(coordinates, points.size, pagePoints)
    points.indices.groupBy(pageOf(_)).toSeq.sortBy(_._1).map(_._2.map(points))
  }

  test("pages are those of sorted lists, where no two values are equal") {
    val random = new Random(3)
    for (count <- Seq(1, 2, 3, 10, 100, 1001); pagePoints <- Seq(1, 2, 7, 100); axes <- 1 to 3) {
      val columns = Seq.fill(axes)(random.shuffle((0 until count).map(_.toLong - count / 2)))
      val points = columns.transpose.toIndexedSeq
      assert(divided(points, pagePoints).map(_.toSet) === naive(points, pagePoints, 0).map(_.toSet))
    }
  }

  test("every page but the last is full, whatever values are equal") {
    val random = new Random(5)
    for (distinct <- Seq(1, 2, 5, 50); count <- Seq(0, 1, 99, 1000)) {
      val columns = IndexedSeq.fill(2)(Array.fill(count)(if (random.nextInt(9) == 0) Long.MinValue
      else random.nextInt(distinct).toLong))
      val sizes = PageSplits.of(columns, count, 10).groupBy(identity).toSeq.sortBy(_._1).map(_._2.length)
      assert(sizes.sum === count && sizes.dropRight(1).forall(_ === 10) && sizes.forall(_ <= 10))
    }
  }

  test("a point lookup on even points reads little more than the floor of the pages") {
    val random = new Random(7)
    val (count, pagePoints) = (64000, 1000)
    val columns = IndexedSeq.fill(2)(Array.fill(count)(random.nextLong()))
    val pageOf = PageSplits.of(columns, count, pagePoints)
    val floor = math.sqrt(pagePoints.toDouble / count)
    for (values <- columns) {
      val ranges = (0 until count).groupBy(pageOf(_)).values.map(_.map(values(_))).map(v => (v.min, v.max)).toSeq
      val read = values.take(500).map(v => ranges.count { case (low, high) => low <= v && v <= high }).sum / 500.0
      assert(read / ranges.size <= 1.1 * floor, values.hashCode)
    }
  }
}
