// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import org.scalatest.funsuite.AnyFunSuite

class RewriteCostSuite extends AnyFunSuite {

  test("within twice what an idle machine of two cores takes for the runs to which it was fitted") {
    // Rows, bytes, partitions, and half of the processor seconds of the run, as of docs/advice.md.
    val runs = Seq(
      (300000.0, 8534960L, 1, 5.5),
      (1000000.0, 27107745L, 30, 6.1),
      (5000000.0, 130607271L, 1, 11.8),
      (2500000.0, 66414207L, 3, 6.3),
      (1200000.0, 35700000L, 120, 4.8),
      (10000000.0, 594000000L, 1, 18.5)
    )
    for ((rows, bytes, partitions, seconds) <- runs) {
      val foretold = RewriteCost.seconds(rows, bytes, partitions, 2)
      assert(foretold <= 2 * seconds && seconds <= 2 * foretold, s"$foretold of $seconds")
    }
  }

  test("more cores take less, but no run takes nothing") {
    assert(RewriteCost.seconds(1e9, 60000000000L, 1, 100) === 35.0)
    assert(RewriteCost.seconds(0, 0, 0, 1) === 5.0)
  }
}
