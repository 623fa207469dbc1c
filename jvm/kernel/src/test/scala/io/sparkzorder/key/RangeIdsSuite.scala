// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import org.scalatest.funsuite.AnyFunSuite

class RangeIdsSuite extends AnyFunSuite {

  private val longs = LongKeyOrder

  private def idsOf(values: Seq[Long], nulls: Long, n: Int): Seq[Int] = {
    val weighted = values.groupBy(identity).toSeq.sortBy(_._1).map { case (v, all) => (v: Any, all.size.toLong) }
    val ids = RangeIds(longs, RangeIds.starts(weighted, nulls, n))
    values.map(ids.of(_))
  }

  private def naive(values: Seq[Long], nulls: Long, n: Int): Seq[Int] =
    values.map(v => math.floorDiv(n.toLong * (nulls + values.count(_ < v)), nulls + values.size).toInt)

  test("ids are floor(n * rows below / rows) for any number of ranges, nulls and heavy values") {
    val columns =
      Seq(0L to 19L, Seq(42L), Seq.fill(10)(1L) ++ (2L to 12L), Seq(5L, 5L, 5L), Seq(Long.MinValue, Long.MaxValue))
    for (values <- columns; nulls <- Seq(0L, 1L, 7L, 1000L); n <- Seq(1, 2, 3, 4, 20, 1000, Int.MaxValue))
      assert(idsOf(values, nulls, n) === naive(values, nulls, n), s"$values, $nulls, $n")
  }

  test("values between and beyond those seen get the id of the one below") {
    val ids = RangeIds(longs, RangeIds.starts(Seq((10L, 1L), (20L, 1L)), nulls = 0, n = 2))
    assert(Seq(Long.MinValue, 10L, 15L, 20L, Long.MaxValue).map(ids.of(_)) === Seq(0, 0, 0, 1, 1))
  }

  test("no rows, or only nulls, are one range") {
    assert(RangeIds.starts(Nil, nulls = 0, n = 5) === Nil)
    assert(RangeIds.starts(Nil, nulls = 9, n = 5) === Nil)
    assert(RangeIds(longs, Nil).of(7L) === 0)
  }

  test("rows times ranges may exceed a long") {
    val half = Long.MaxValue / 2
    val starts = RangeIds.starts(Seq((1L, half), (2L, half)), nulls = 0, n = Int.MaxValue)
    assert(starts === Seq((2L, Int.MaxValue / 2)))
  }

  test("a key of unknown form finds its bounds") {
    val ids = RangeIds(TextOrder, Seq(("e", 3)))
    assert(ids.ofKey("dz") === 0 && ids.ofKey("z") === 3)
    assert(RangeIds(longs, Seq((5L, 3))).ofKey(6L) === 3)
  }
}
