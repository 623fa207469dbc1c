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

  /** The sampled rows of each stretch. */
  private def rowsOf(stretches: Seq[Stretch], sorted: Array[Long]): Seq[Array[Long]] = {
    val ends = stretches.map(_.start).tail :+ Long.MaxValue
    stretches.zip(ends).map { case (s, end) => sorted.filter(i => i >= s.start && (i < end || end == Long.MaxValue)) }
  }

  private def requireAscending(stretches: Seq[Stretch]): Unit = {
    assert(stretches.head.start === 0L)
    stretches.map(_.start).zip(stretches.map(_.start).tail).foreach { case (a, b) => assert(a < b) }
  }

  private def indices(rows: Int, bits: Int, seed: Long): Array[Long] = {
    val random = new Random(seed)
    Array.fill(rows)(random.nextLong() & (Long.MaxValue >>> (63 - bits))).sorted
  }

  for (seed <- 1 to 5; files <- Seq(2, 3, 7, 48, 300))
    test(s"the borders of the reference, $files files, seed $seed") {
      val sorted = indices(rows = 10000, bits = 63, seed)
      val stretches = FileCuts.stretches(sorted, files)
      assert(stretches.map(_.start) === 0L +: cellBorders(sorted, files))
      assert(stretches.forall(_.files == 1))
    }

  test("the borders of the reference on a skewed curve with many short runs") {
    val random = new Random(6)
    val sorted = Array.fill(20000)((math.pow(random.nextDouble(), 2) * 100000).toLong << 30).sorted
    val target = sorted.length / 20.0
    assert(sorted.groupBy(identity).values.map(_.length).max <= target * (1 - slack), "no run fills a window")
    assert(FileCuts.stretches(sorted, 20).map(_.start) === 0L +: cellBorders(sorted, 20))
  }

  test("cuts of a full grid are the borders of its cells") {
    val grid = (0L until 1024L).toArray
    assert(FileCuts.stretches(grid, 16) === (0 until 16).map(i => Stretch(i * 64L, 1)))
  }

  test("one file asked for, or none, or nothing sampled: one stretch from 0") {
    val one = Seq(Stretch(0L, 1))
    assert(FileCuts.stretches(indices(100, 63, 1), 1) === one)
    assert(FileCuts.stretches(indices(100, 63, 1), 0) === one)
    assert(FileCuts.stretches(Array.empty[Long], 10) === one)
  }

  test("one place alone is spread over all files") {
    assert(FileCuts.stretches(Array.fill(1000)(77L), 8) === Seq(Stretch(0L, 8)))
    assert(FileCuts.stretches(Array.fill(1000)(0L), 8) === Seq(Stretch(0L, 8)))
    assert(FileCuts.stretches(Array.fill(1000)(Long.MaxValue), 8) === Seq(Stretch(0L, 8)))
  }

  test("two places of many rows each have files of their own") {
    val sorted = Array.fill(600)(10L) ++ Array.fill(400)(20L)
    assert(FileCuts.stretches(sorted, 10) === Seq(Stretch(0L, 6), Stretch(11L, 4)))
  }

  test("a place of more rows than a file holds is spread, and its neighbours stay out") {
    val sorted = indices(500, 20, 7) ++ Array.fill(4000)(1L << 20) ++ indices(500, 20, 8).map(_ + (1L << 20) + 1)
    val stretches = FileCuts.stretches(sorted, 50)
    requireAscending(stretches)
    val heavy = stretches.filter(_.files > 1)
    assert(heavy === Seq(Stretch(1L << 20, 40)))
    assert(stretches(stretches.indexOf(heavy.head) + 1).start === (1L << 20) + 1)
    assert(math.abs(stretches.map(_.files).sum - 50) <= 4)
  }

  test("a run that fills the window but not a file stays in one file") {
    // Target 100 rows; the run is 120 rows long.
    val sorted = (0L until 60L).toArray ++ Array.fill(120)(1000L) ++ (2000L until 2220L)
    val stretches = FileCuts.stretches(sorted, 4)
    requireAscending(stretches)
    assert(stretches.forall(_.files == 1))
    assert(rowsOf(stretches, sorted).count(_.contains(1000L)) === 1)
  }

  test("all rows at places of their own, as many files as rows") {
    val sorted = (0L until 50L).map(_ * 3).toArray
    val stretches = FileCuts.stretches(sorted, 50)
    requireAscending(stretches)
    assert(rowsOf(stretches, sorted).forall(_.length == 1))
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
      val stretches = FileCuts.stretches(sorted, files)
      requireAscending(stretches)
      val target = sorted.length.toDouble / files
      val parts = rowsOf(stretches, sorted)
      assert(parts.map(_.length).sum === sorted.length)
      stretches.zip(parts).foreach { case (stretch, rows) =>
        val perFile = rows.length.toDouble / stretch.files
        // Longer only if a run of equal places fills a window: then less than half of the run's length is added.
        assert(perFile <= target * (1 + slack) * 1.25 + 2 || files == 1, s"$stretch of ${rows.length}, target $target")
        assert(rows.nonEmpty, s"$stretch is for nothing")
        if (stretch.files > 1) assert(rows.distinct.length === 1)
      }
      // No place that fits a file is torn, whatever its files: each lies in one stretch by its very value.
      true
    }
    check(holds, Test.Parameters.default.withInitialSeed(3L).withMinSuccessfulTests(1000))
  }
}
