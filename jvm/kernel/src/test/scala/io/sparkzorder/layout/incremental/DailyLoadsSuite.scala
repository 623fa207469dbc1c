// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import scala.util.Random

import org.scalatest.Tag
import org.scalatest.funsuite.AnyFunSuite

/** Incremental runs after each of many loads: what point lookups by each column read, and what the runs write. */
class DailyLoadsSuite extends AnyFunSuite {

  private val RowsOfFile = 1000

  // The tags of `DailyTest` and `NightlyTest`, which the tests of Spark have.
  private val Daily = Tag("io.sparkzorder.DailyTest")
  private val Nightly = Tag("io.sparkzorder.NightlyTest")

  /**
   * @param files
   *   number of files before the first load
   * @param part
   *   size of a load, as a share of these
   * @param row
   *   the values of a row by its number, counted in tables of the first size
   * @return
   *   per column, the greatest ratio of the share read to a full run's, while that has eight files or more; and rows written
   *   for each row added
   */
  private def loads(files: Double, part: Double, days: Int)(
      row: (Double, Random) => IndexedSeq[Double]): (Seq[Double], Double) = {
    val random = new Random(3)
    val start = (RowsOfFile * files).toInt
    def rows(numbers: Range) = numbers.map(i => row(i.toDouble / start, random))
    val table = new GrowingTable(row(0, random).size, RowsOfFile)
    table.full(rows(0 until start))
    var (written, added) = (0L, 0L)
    val ratios = (1 to days).flatMap { _ =>
      val load = rows(table.rows until table.rows + (start * part).toInt)
      written += table.load(load)
      added += load.size
      if (table.fullCount < 8) None else Some(table.shares.zip(table.fullShares).map { case (s, full) => s / full })
    }
    (ratios.transpose.map(_.max), written.toDouble / added)
  }

  private val arrivals = Seq[(String, (Double, Random) => IndexedSeq[Double])](
    "at the end of the first column" -> ((i, r) => IndexedSeq(i, r.nextDouble())),
    "at the end of the second column" -> ((i, r) => IndexedSeq(r.nextDouble(), i)),
    "anywhere" -> ((_, r) => IndexedSeq(r.nextDouble(), r.nextDouble()))
  )

  for ((where, row) <- arrivals; (files, part) <- Seq((64, 0.1), (16, 0.03)))
    test(
      s"ten loads of $part of $files files, $where: each column is held, for a part of a full run's bytes",
      if (files > 16) Nightly else Daily) {
      val (worst, written) = loads(files, part, 10)(row)
      assert(worst.forall(_ <= 1.15) && written < 0.5 * 10 / 2 / part, s"$worst, $written")
    }

  for ((where, row) <- arrivals.take(2); perDay <- Seq(0.3, 1.0, 4.0))
    test(
      s"a month of $perDay files a day, from its first day, $where",
      if (perDay > 1) Nightly else Daily) {
      val (worst, written) = loads(perDay, 1, 29)(row)
      // When a full run comes to cells of half the size one more file makes the difference, and estimates err.
      assert(worst.forall(_ <= 1.25) && written < 16 / 2, s"$worst, $written")
    }

  test("few values in a column are not cut, and four columns", Daily) {
    val (worst, written) =
      loads(32, 0.05, 10)((i, r) => IndexedSeq(r.nextInt(10), r.nextDouble(), r.nextGaussian(), i))
    assert(worst.forall(_ <= 1.3) && written < 0.8 * 26, s"$worst, $written")
  }
}
