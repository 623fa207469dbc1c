// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import scala.util.Random

import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Lookups against counting, on distributions that lead a guided search astray. */
class SortedBoundsSuite extends AnyFunSuite {

  private val random = new Random(7)

  private val distributions: Seq[(String, Seq[Long])] = Seq(
    "none" -> Nil,
    "one" -> Seq(42L),
    "the two ends" -> Seq(Long.MinValue, Long.MaxValue),
    "neighbours" -> (0L until 300L),
    "uniform" -> Seq.fill(2000)(random.nextLong()),
    "doubles" -> Seq.fill(2000)(OrderedBits.ofDouble(random.nextGaussian() * 1000)),
    "skewed" -> Seq.fill(2000)((math.pow(random.nextDouble(), 9) * 1e15).toLong),
    "far outliers on both sides" -> (Seq.fill(2000)(random.nextInt(5000).toLong) ++ Seq(Long.MinValue, Long.MaxValue)),
    "two far heaps" -> (Seq.fill(1000)(random.nextInt(5000).toLong) ++ Seq.fill(1000)(
      Long.MaxValue - random.nextInt(99)))
  )

  for ((name, drawn) <- distributions)
    test(s"longs: $name") {
      val values = drawn.distinct.sorted.toArray
      val bounds = new LongBounds(values)
      val near = values.flatMap(v => Seq(v - 1, v, v + 1))
      val probes = near ++ Seq(0L, Long.MinValue, Long.MaxValue) ++ Seq.fill(500)(random.nextLong())
      probes.foreach { v =>
        assert(bounds.lowerBound(v) === values.count(_ < v), v)
        assert(bounds.upperBound(v) === values.count(_ <= v), v)
      }
    }

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
