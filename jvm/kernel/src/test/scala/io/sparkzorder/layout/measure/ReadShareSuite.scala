// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class ReadShareSuite extends AnyFunSuite {

  private val Files = 200

  /** Depths of the rows of each file, of a clustered and skewed table: those of one file are alike. */
  private val table: IndexedSeq[IndexedSeq[Int]] = {
    val random = new Random(7)
    IndexedSeq.fill(Files) {
      val level = 1 + (40 * math.pow(random.nextDouble(), 3)).toInt
      IndexedSeq.fill(20 + random.nextInt(60))(level + random.nextInt(5))
    }
  }

  private val exact = table.flatten.sum.toDouble / table.map(_.size).sum / Files

  private def sums(rows: Seq[Int]): DepthSums =
    DepthSums(rows.size.toLong, rows.map(_.toDouble).sum, rows.map(d => d.toDouble * d).sum)

  private def drawn(files: Int, rate: Double, seed: Int): ReadShare = {
    val random = new Random(seed)
    val found = random.shuffle(table).take(files).map(_.filter(_ => random.nextDouble() < rate))
    ReadShare.estimate(found.filter(_.nonEmpty).map(sums), files, Files, rate).get
  }

  for ((files, rate) <- Seq((Files, 0.1), (40, 1.0), (40, 0.1), (150, 0.05)))
    test(s"$files of $Files files, $rate of their rows: the mean is right, and so is its standard error") {
      val runs = (1 to 400).map(drawn(files, rate, _))
      val mean = runs.map(_.share).sum / runs.size
      val spread = math.sqrt(runs.map(r => math.pow(r.share - exact, 2)).sum / runs.size)
      val said = math.sqrt(runs.map(r => r.standardError * r.standardError).sum / runs.size)
      assert(math.abs(mean - exact) < 4 * spread / math.sqrt(runs.size.toDouble), s"$mean instead of $exact")
      assert(math.abs(said / spread - 1) < 0.15, s"said $said, is $spread")
      val covered = runs.count(r => math.abs(r.share - exact) < 2 * r.standardError).toDouble / runs.size
      assert(covered > 0.9, s"$covered within two standard errors")
    }

  test("every row: exact, without error") {
    val found = ReadShare.estimate(table.map(sums), Files, Files, 1.0).get
    assert(math.abs(found.share - exact) < 1e-12 && found.standardError === 0.0)
  }

  test("no value, no file, and one file that tells nothing of the others") {
    assert(ReadShare.estimate(Seq(DepthSums.none), 1, 4, 1.0) === None)
    assert(ReadShare.estimate(Nil, 0, 0, 1.0) === None)
    assert(ReadShare.estimate(Seq(sums(Seq(1, 2))), 1, 4, 1.0).get.standardError.isNaN)
  }
}
