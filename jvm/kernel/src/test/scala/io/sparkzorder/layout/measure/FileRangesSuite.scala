// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import scala.util.Random

import io.sparkzorder.Serialized
import io.sparkzorder.key.LongKeyOrder
import io.sparkzorder.layout.measure.ColumnRange.{NoValue, Unknown, Within}

import org.scalatest.funsuite.AnyFunSuite

class FileRangesSuite extends AnyFunSuite {

  private val ordering = LongKeyOrder.ordering

  private def fileRanges(ranges: ColumnRange*): FileRanges = new FileRanges(ranges.toIndexedSeq, ordering)

  private def random(seed: Long, files: Int, width: Int): IndexedSeq[ColumnRange] = {
    val random = new Random(seed)
    IndexedSeq.fill(files)(random.nextInt(12) match {
      case 0 => Unknown
      case 1 => NoValue
      case _ =>
        val low = random.nextInt(width).toLong
        Within(low, low + random.nextInt(width / 4 + 1))
    })
  }

  // Brute force over every value there can be: ranges lie in 0 .. 2 * width.

  private def holds(range: ColumnRange, value: Long): Boolean = range match {
    case Within(low: Long, high: Long) => low <= value && value <= high
    case Unknown => true
    case _ => false
  }

  private def meets(a: ColumnRange, b: ColumnRange): Boolean = (a, b) match {
    case (NoValue, _) | (_, NoValue) => false
    case (Unknown, _) | (_, Unknown) => true
    case (Within(low: Long, high: Long), Within(l: Long, h: Long)) => low <= h && l <= high
    case _ => false
  }

  for (seed <- 1 to 12)
    test(s"overlaps, depths, histogram and read share by brute force, seed $seed") {
      val width = Seq(5, 50, 1000)(seed % 3)
      val ranges = random(seed, files = 60, width)
      val found = new FileRanges(ranges, ordering)
      val values = 0L to 2L * width
      def depthAt(value: Long): Int = ranges.count(holds(_, value))

      values.foreach(v => assert(found.depthAt(v) === depthAt(v)))
      assert(found.overlaps === ranges.indices.map(i =>
        ranges.indices.count(j => i != j && meets(ranges(i), ranges(j)))))

      val depths = ranges.map {
        case NoValue => 1
        case range => values.filter(holds(range, _)).map(depthAt).max
      }
      assert(found.depths === depths)
      assert(found.maxDepth === depths.max)
      assert(found.averageDepth === depths.sum.toDouble / ranges.size)
      assert(found.averageOverlaps === found.overlaps.sum.toDouble / ranges.size)
      val steps = (0 to 16).map(d => (d, d, d)) ++ Seq((17, 32, 32), (33, 64, 64))
      val histogram = steps.map { case (low, high, name) => name -> depths.count(d => d >= low && d <= high).toLong }
      assert(found.depthHistogram === histogram.filter(_._2 > 0).toMap)

      val asked = values.filter(_ % 3 == 0)
      val share = asked.map(depthAt(_).toDouble / ranges.size).sum / asked.size
      assert(math.abs(found.readShare(asked.iterator).get - share) < 1e-12)

      val within = ranges.collect { case Within(low: Long, high: Long) => (low, high) }
      assert(found.bounds === Some((within.map(_._1).min, within.map(_._2).max)))
    }

  test("the depth table agrees with the ranges of numbers") {
    val found = new FileRanges(random(seed = 4, files = 30, width = 50), ordering)
    val table = Serialized.copyOf(DepthTable.of(found, LongKeyOrder))
    (0L to 100L).foreach(v => assert(table.depth(v) === found.depthAt(v)))
  }

  test("no file, no value") {
    val none = fileRanges()
    assert((none.files, none.maxDepth, none.averageDepth, none.averageOverlaps) === ((0, 0, 0.0, 0.0)))
    assert(none.depthHistogram.isEmpty && none.bounds.isEmpty && none.readShare(Iterator(1L)).isEmpty)
    assert(fileRanges(Within(1L, 2L)).readShare(Iterator.empty).isEmpty)
    val table = DepthTable.of(none, LongKeyOrder)
    assert(table.depth(7L) === 0)
  }

  test("files of unknown range are read for every value, those of NULLs alone for none") {
    val unknown = fileRanges(Unknown, Unknown, NoValue)
    assert(unknown.depthAt(5L) === 2)
    assert(unknown.overlaps === Seq(1, 1, 0))
    assert(unknown.depths === Seq(2, 2, 1))
    assert(unknown.readShare(Iterator(1L, 2L)) === Some(2.0 / 3))
    val nulls = fileRanges(NoValue, NoValue)
    assert((nulls.maxDepth, nulls.averageOverlaps) === ((1, 0.0)))
    assert(nulls.depthHistogram === Map(1 -> 2L))
  }

  test("ranges that touch in one value meet; a constant file has a depth") {
    val touching = fileRanges(Within(1L, 5L), Within(5L, 9L), Within(5L, 5L), Within(10L, 10L))
    assert(touching.overlaps === Seq(2, 2, 2, 0))
    assert(touching.depths === Seq(3, 3, 3, 1))
  }
}
