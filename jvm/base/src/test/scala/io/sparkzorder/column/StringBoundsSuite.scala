// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Lookups against counting. */
class StringBoundsSuite extends AnyFunSuite {

  private val random = new Random(7)

  test("strings: short ones, common heads, zero bytes, bytes above 127") {
    val heads = Seq("", "a", "session-", "session-0", "session-00000000", "zürich-", "\u0000", "日本語日本語")
    val tails = Seq("", "\u0000", "0", "1", "x", "é") ++ Seq.fill(40)(random.nextInt(100000).toString)
    val all =
      (for (h <- heads; t <- tails) yield UTF8String.fromString(h + t)).distinct.sortWith(_.binaryCompare(_) < 0)
    val values = all.zipWithIndex.collect { case (v, i) if i % 3 != 0 => v }.toArray
    val bounds = new StringBounds(values)
    all.foreach { v =>
      assert(bounds.lowerBound(v) === values.count(_.binaryCompare(v) < 0), v)
      assert(bounds.upperBound(v) === values.count(_.binaryCompare(v) <= 0), v)
    }
    assert(new StringBounds(Array.empty).lowerBound(UTF8String.fromString("a")) === 0)
  }
}
