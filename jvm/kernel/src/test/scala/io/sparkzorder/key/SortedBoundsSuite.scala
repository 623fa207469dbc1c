// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import scala.util.Random

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

  test("objects: by their order alone") {
    val all = (0 until 300).map(i => f"$i%03d")
    val values = all.zipWithIndex.collect { case (v, i) if i % 3 != 0 => v }.toArray[AnyRef]
    val bounds = new ComparedBounds(values, TextOrder)
    (all ++ Seq("", "~")).foreach { v =>
      assert(bounds.lowerBound(v) === values.count(TextOrder.compare(_, v) < 0), v)
      assert(bounds.upperBound(v) === values.count(TextOrder.compare(_, v) <= 0), v)
    }
    assert(new ComparedBounds(Array.empty, TextOrder).lowerBound("a") === 0)
  }
}
