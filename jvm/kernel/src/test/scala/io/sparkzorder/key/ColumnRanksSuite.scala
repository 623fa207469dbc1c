// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class ColumnRanksSuite extends AnyFunSuite {

  /** @param sample numbers, null for NULL */
  private def ranks(sample: Seq[Any], bits: Int): ColumnRanks = ColumnRanks.of(LongKeyOrder, keys(sample), bits)

  private def rank(ranks: ColumnRanks, value: Any): Long = ranks.rankOf(keys(Seq(value)).head)

  private def keys(values: Seq[Any]): Array[Any] = values.map {
    case number: Int => number.toLong
    case key => key
  }.toArray

  test("NULL keeps a rank of its own however few bits there are") {
    for (bits <- Seq(3, 63)) {
      val table = ranks(null +: (1 to 1000), bits)
      assert(table.nullRank === 0L)
      (0 to 1001).foreach(v => assert(rank(table, v) > 0, s"$v, $bits bits"))
    }
  }

  test("a NULL that was not sampled is not above any value") {
    val table = ranks(1 to 10, 20)
    assert(rank(table, null) <= rank(table, Int.MinValue))
  }

  test("a frequent value takes its share of the ranks, its neighbours theirs") {
    // 10% below, 80% the value itself, 10% above.
    val sample = (0 until 100) ++ Seq.fill(800)(500) ++ (901 to 1000)
    val table = ranks(new Random(2).shuffle(sample), 10)
    assert(rank(table, 500) === 102) // 0.1 * 1024
    assert(rank(table, 501) === 921) // 0.9 * 1024
    assert(rank(table, 901) === 921)
    assert(rank(table, 2000) === 1023)
  }

  test("few distinct values spread over all bits") {
    val table = ranks(Seq.fill(100)(Seq(1, 2, 3, 4)).flatten, 63)
    assert((1 to 4).map(rank(table, _)) === Seq(0L, 1L << 61, 1L << 62, 3L << 61))
  }

  test("a table of lower precision: ranks in order, off by no more than that, frequent values exact and alone") {
    val random = new Random(3)
    val frequent = Seq(-7L, 400L, 401L, 5000L)
    val sample =
      Seq.fill[Any](3000)(random.nextInt(10000).toLong) ++ frequent.flatMap(Seq.fill(200)(_)) ++ Seq.fill(100)(null)
    val keys = random.shuffle(sample).toArray[Any]
    val exact = ColumnRanks.of(LongKeyOrder, keys, 31)
    val coarse = ColumnRanks.of(LongKeyOrder, keys, 31, precision = 50)
    assert(coarse.bounds.size < 200 && exact.bounds.size > 2000)
    val values = (-10L to 10010L)
    values.zip(values.tail).foreach { case (a, b) => assert(coarse.rank(a) <= coarse.rank(b)) }
    values.foreach(v => assert(math.abs(coarse.rank(v) - exact.rank(v)) <= (1L << 31) / 50, v))
    frequent.foreach { v =>
      assert(coarse.rank(v) === exact.rank(v))
      val sharing = sample.filter(s => s != null && coarse.rankOf(s) == coarse.rank(v)).distinct
      assert(sharing === Seq(v))
    }
  }
}
