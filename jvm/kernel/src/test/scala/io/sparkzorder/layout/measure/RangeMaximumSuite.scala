// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class RangeMaximumSuite extends AnyFunSuite {

  test("the maximum of every slice") {
    val random = new Random(1)
    for (size <- Seq(1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33)) {
      val values = Array.fill(size)(random.nextInt(20) - 10)
      val maximum = new RangeMaximum(values)
      for (from <- 0 until size; to <- from + 1 to size)
        assert(maximum.max(from, to) === values.slice(from, to).max, s"$from until $to of $size")
    }
  }
}
