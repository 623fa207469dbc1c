// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

import scala.util.Random

import org.scalacheck.{Gen, Prop, Test}
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.Checkers

class FileCutsSuite extends AnyFunSuite with Checkers {

  private val slack = FileCuts.Slack

  /** The `cell_borders` of the reference model, line by line. */
  private def cellBorders(ordered: Array[Long], files: Int): Seq[Long] = {
    val total = ordered.length
    val target = total.toDouble / files
    val level = (1 until total).map { i =>
      val change = ordered(i) ^ ordered(i - 1)
      if (change > 0) BigInt(change).bitLength - 1 else -1
    }
    val borders = Seq.newBuilder[Long]
    var previous = 0
    while (total - previous > target * (1 + slack)) {
      val low = (previous + target * (1 - slack)).toInt
      val high = math.min((previous + target * (1 + slack)).toInt, total - 1)
      val window = level.slice(low - 1, high - 1)
      val candidates = window.indices.filter(window(_) == window.max).map(_ + low)
      val ideal = previous + target
      previous = candidates.minBy(c => math.abs(c - ideal))
      val shift = math.max(level(previous - 1), 0)
      borders += ordered(previous) >> shift << shift
    }
    borders.result()
  }

  /** The sampled rows of each range. */
  private def rowsOf(ranges: Seq[CurveRange], sorted: Array[Long]): Seq[Array[Long]] = {
    val ends = ranges.map(_.start).tail :+ Long.MaxValue
    ranges.zip(ends).map { case (s, end) => sorted.filter(i => i >= s.start && (i < end || end == Long.MaxValue)) }
  }

  private def requireAscending(ranges: Seq[CurveRange]): Unit = {
    assert(ranges.head.start === 0L)
    ranges.map(_.start).zip(ranges.map(_.start).tail).foreach { case (a, b) => assert(a < b) }
  }

  private def indices(rows: Int, bits: Int, seed: Long): Array[Long] = {
    val random = new Random(seed)
    Array.fill(rows)(random.nextLong() & (Long.MaxValue >>> (63 - bits))).sorted
  }

  for (seed <- 1 to 5; files <- Seq(2, 3, 7, 48, 300))
    test(s"the borders of the reference, $files files, seed $seed") {
      val sorted = indices(rows = 10000, bits = 63, seed)
      val ranges = FileCuts.ranges(sorted, files)
      assert(ranges.map(_.start) === 0L +: cellBorders(sorted, files))
      assert(ranges.forall(_.files == 1))
    }

  test("the borders of the reference on a skewed curve with many short runs") {
    val random = new Random(6)
    val sorted = Array.fill(20000)((math.pow(random.nextDouble(), 2) * 100000).toLong << 30).sorted
    val target = sorted.length / 20.0
    assert(sorted.groupBy(identity).values.map(_.length).max <= target * (1 - slack), "no run fills a window")
    assert(FileCuts.ranges(sorted, 20).map(_.start) === 0L +: cellBorders(sorted, 20))
  }

  test("cuts of a full grid are the borders of its cells") {
    val grid = (0L until 1024L).toArray
    assert(FileCuts.ranges(grid, 16) === (0 until 16).map(i => CurveRange(i * 64L, 1)))
  }

  test("one file asked for, or none, or nothing sampled: one range from 0") {
    val one = Seq(CurveRange(0L, 1))
    assert(FileCuts.ranges(indices(100, 63, 1), 1) === one)
    assert(FileCuts.ranges(indices(100, 63, 1), 0) === one)
    assert(FileCuts.ranges(Array.empty[Long], 10) === one)
  }

  test("one place alone is spread over all files") {
    assert(FileCuts.ranges(Array.fill(1000)(77L), 8) === Seq(CurveRange(0L, 8)))
    assert(FileCuts.ranges(Array.fill(1000)(0L), 8) === Seq(CurveRange(0L, 8)))
    assert(FileCuts.ranges(Array.fill(1000)(Long.MaxValue), 8) === Seq(CurveRange(0L, 8)))
  }

  test("two places of many rows each have files of their own") {
    val sorted = Array.fill(600)(10L) ++ Array.fill(400)(20L)
    assert(FileCuts.ranges(sorted, 10) === Seq(CurveRange(0L, 6), CurveRange(11L, 4)))
  }

  test("a place of more rows than a file holds is spread, and its neighbours stay out") {
    val sorted = indices(500, 20, 7) ++ Array.fill(4000)(1L << 20) ++ indices(500, 20, 8).map(_ + (1L << 20) + 1)
    val ranges = FileCuts.ranges(sorted, 50)
    requireAscending(ranges)
    val heavy = ranges.filter(_.files > 1)
    assert(heavy === Seq(CurveRange(1L << 20, 40)))
    assert(ranges(ranges.indexOf(heavy.head) + 1).start === (1L << 20) + 1)
    assert(math.abs(ranges.map(_.files).sum - 50) <= 4)
  }

  test("a run that fills the window but not a file stays in one file") {
    // Target 100 rows; the run is 120 rows long.
    val sorted = (0L until 60L).toArray ++ Array.fill(120)(1000L) ++ (2000L until 2220L)
    val ranges = FileCuts.ranges(sorted, 4)
    requireAscending(ranges)
    assert(ranges.forall(_.files == 1))
    assert(rowsOf(ranges, sorted).count(_.contains(1000L)) === 1)
  }

  test("all rows at places of their own, as many files as rows") {
    val sorted = (0L until 50L).map(_ * 3).toArray
    val ranges = FileCuts.ranges(sorted, 50)
    requireAscending(ranges)
    assert(rowsOf(ranges, sorted).forall(_.length == 1))
  }

  private val anySample: Gen[(Array[Long], Int)] = for {
    seed <- Gen.chooseNum(0L, Long.MaxValue)
    rows <- Gen.chooseNum(1, 2000)
    bits <- Gen.oneOf(1, 2, 4, 8, 16, 62, 63)
    heavy <- Gen.listOf(Gen.chooseNum(1, 400)).map(_.take(4))
    files <- Gen.chooseNum(1, 60)
  } yield {
    val random = new Random(seed)
    val runs = heavy.flatMap(n => Array.fill(n)(random.nextLong() & (Long.MaxValue >>> (63 - bits))))
    ((indices(rows, bits, seed) ++ runs).sorted, files)
  }

  test("whatever the sample: from 0, ascending, and no file far from its target") {
    val holds = Prop.forAllNoShrink(anySample) { case (sorted, files) =>
      val ranges = FileCuts.ranges(sorted, files)
      requireAscending(ranges)
      val target = sorted.length.toDouble / files
      val parts = rowsOf(ranges, sorted)
      assert(parts.map(_.length).sum === sorted.length)
      ranges.zip(parts).foreach { case (range, rows) =>
        val perFile = rows.length.toDouble / range.files
        // Longer only if a run of equal places fills a window: then less than half of the run's length is added.
        assert(perFile <= target * (1 + slack) * 1.25 + 2 || files == 1, s"$range of ${rows.length}, target $target")
        assert(rows.nonEmpty, s"$range is for nothing")
        if (range.files > 1) assert(rows.distinct.length === 1)
      }
      // No place that fits a file is torn, whatever its files: each lies in one range by its very value.
      true
    }
    check(holds, Test.Parameters.default.withInitialSeed(3L).withMinSuccessfulTests(1000))
  }
}
