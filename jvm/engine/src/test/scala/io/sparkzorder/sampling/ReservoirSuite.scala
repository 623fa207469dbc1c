// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import org.scalatest.funsuite.AnyFunSuite

class ReservoirSuite extends AnyFunSuite {

  private def sample(size: Int, elements: Seq[Int], seed: Long = 1): Reservoir[Int] = {
    val reservoir = new Reservoir[Int](size, seed)
    elements.foreach(e => if (reservoir.takesNext()) reservoir.take(e))
    reservoir
  }

  test("a sequence that is not longer is kept as it is") {
    for (length <- 0 to 20) assert(sample(20, 0 until length).sample === (0 until length))
  }

  test("the same sequence gives the same sample, of distinct elements, and is counted") {
    val (one, two) = (sample(100, 0 until 100000), sample(100, 0 until 100000))
    assert(one.sample === two.sample && one.sample.distinct.size === 100 && one.count === 100000)
  }

  test("every part of the sequence has its share, by a chi-squared test") {
    for ((size, length) <- Seq((1000, 1010), (1000, 5000), (2000, 100000), (7, 7000))) {
      val parts = 10
      val runs = 0 until math.max(1, 4000 / size)
      val counts = new Array[Int](parts)
      runs.foreach { run =>
        sample(size, 0 until length, seed = run).sample.foreach(e => counts((e.toLong * parts / length).toInt) += 1)
      }
      val expected = counts.sum.toDouble / parts
      val chiSquared = counts.map(c => (c - expected) * (c - expected) / expected).sum
      // 9 degrees of freedom: beyond this in one of 10,000 cases.
      assert(chiSquared < 33.7, s"$size of $length: ${counts.mkString(", ")}")
    }
  }
}
