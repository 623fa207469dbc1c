// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class SetSearchSuite extends AnyFunSuite {

  /** A workload of points: column c is looked up with weight w(c), and a set of k columns has k-th roots of 64 files. */
  private def share(weights: IndexedSeq[Double])(set: Seq[Int]): Double = {
    val depth = math.pow(64, -1.0 / set.size)
    weights.indices.map(c => weights(c) * (if (set.contains(c)) depth else 1.0)).sum / weights.sum
  }

  test("few columns: all sets of up to four, each once, the best first") {
    val weights = IndexedSeq(5.0, 1, 4, 2, 3)
    val tried = new SetSearch(share(weights)).search(weights.indices)
    assert(tried.map(_.columns.toSet).toSet.size === tried.size && tried.size === 5 + 10 + 10 + 5)
    assert(tried.map(_.rating) === tried.map(_.rating).sorted)
    assert(tried.head.columns.forall(weights.indices.contains))
  }

  test("the columns of a set stand in the order of what each saves alone") {
    val tried = new SetSearch(share(IndexedSeq(1.0, 9, 5))).search(0 to 2)
    assert(tried.filter(_.columns.size == 3).map(_.columns) === Seq(Seq(1, 2, 0)))
  }

  test("one column, and columns that are as good with fewer") {
    assert(new SetSearch(_ => 1.0).search(Seq(7)).map(_.columns) === Seq(Seq(7)))
    // Nothing is gained by more than one column: the first alone wins.
    assert(new SetSearch(set => if (set.contains(2)) 0.1 else 1.0).search(0 to 4).head.columns === Seq(2))
  }

  test("many columns: at most some hundred trials, and hardly worse than all of them") {
    val random = new Random(1)
    for (_ <- 1 to 20) {
      val weights = IndexedSeq.fill(20)(math.pow(random.nextDouble(), 4))
      var trials = 0
      val found = new SetSearch({ set => trials += 1; share(weights)(set) }).search(weights.indices)
      val best = (1 to 4).flatMap(weights.indices.combinations(_)).map(share(weights)(_)).min
      assert(found.map(_.share).min <= best * 1.0001 && trials <= 400)
      assert(found.head.share <= best * 1.04)
    }
  }
}
