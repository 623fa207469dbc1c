// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class QuantileSketchSuite extends AnyFunSuite {

  private val longs = LongKeyOrder
  private val capacity = 64

  private def sketchOf(values: Iterable[Long], capacity: Int = capacity): QuantileSketch = {
    val sketch = new QuantileSketch(longs, capacity)
    values.foreach(sketch.add(_))
    sketch
  }

  private def log2(x: Double): Double = math.log(x) / math.log(2)

  /** The greatest error of a rank that the sketch answers, over all values. */
  private def worstError(sketch: QuantileSketch, values: Seq[Long]): Long = {
    val keys = sketch.weightedKeys.map { case (k, w) => (k.asInstanceOf[Long], w) }
    val sorted = values.sorted.toArray
    val estimates = keys.scanLeft(0L)(_ + _._2)
    var place = 0
    sorted.indices.map { i =>
      if (i == 0 || sorted(i) != sorted(i - 1)) {
        while (place < keys.size && keys(place)._1 < sorted(i)) place += 1
        math.abs(estimates(place) - i)
      } else 0L
    }.max
  }

  private val size = 100000
  private val random = new Random(7)
  private val shapes: Seq[(String, Seq[Long])] = Seq(
    "ascending" -> (0L until size),
    "descending" -> (0L until size).reverse,
    "shuffled" -> random.shuffle((0L until size).toVector),
    "few values" -> Seq.fill(size)(random.nextInt(5).toLong),
    "one value" -> Seq.fill(size)(42L),
    "skewed" -> Seq.fill(size)(math.exp(random.nextGaussian() * 5).toLong),
    "two runs" -> ((0L until size by 2) ++ (1L until size by 2)),
    "zigzag" -> (0L until size).map(i => if (i % 2 == 0) i else size - i)
  )

  for ((name, values) <- shapes)
    test(s"ranks of $name values are within the stated bound, and so is memory") {
      val levels = math.floor(log2(size.toDouble / capacity)) + 2
      val bound = size / capacity * (levels - 1)
      val whole = sketchOf(values)
      val parts = values.grouped(size / 17).map(sketchOf(_)).reduce { (a, b) => a.merge(b); a }
      for (sketch <- Seq(whole, parts)) {
        assert(sketch.weightedKeys.map(_._2).sum === size, "every value is counted")
        assert(worstError(sketch, values) <= bound)
        assert(sketch.size <= levels * capacity)
      }
    }

  test("up to the capacity all values are exact, in whatever order they are merged") {
    val values = random.shuffle((0L until capacity - 1).toVector)
    val expected = values.sorted.map(v => (v, 1L))
    assert(sketchOf(values).weightedKeys === expected)
    val parts = values.grouped(5).map(sketchOf(_)).toSeq
    for (order <- Seq(parts, parts.reverse)) {
      val merged = sketchOf(Nil)
      order.foreach(merged.merge)
      assert(merged.weightedKeys === expected)
    }
    assert(sketchOf(0L until 8000, QuantileSketch.Capacity).weightedKeys.size === 8000)
  }

  test("the same additions and merges give the same keys") {
    val values = shapes(2)._2
    assert(sketchOf(values).weightedKeys === sketchOf(values).weightedKeys)
    assert(sketchOf(values).toBytes === sketchOf(values).toBytes)
  }

  test("nulls are counted apart, and merging leaves the other sketch as it was") {
    val (a, b) = (sketchOf(Seq(3L, 1L)), sketchOf(Seq(2L)))
    a.addNull()
    b.addNull()
    b.addNull()
    val before = b.toBytes
    a.merge(b)
    assert(a.nulls === 3 && a.weightedKeys === Seq((1L, 1L), (2L, 1L), (3L, 1L)))
    assert(b.toBytes === before)
  }

  test("what is read back goes on as what was written") {
    val sketch = sketchOf(shapes(2)._2)
    val copy = QuantileSketch.fromBytes(longs, sketch.toBytes, capacity)
    for (s <- Seq(sketch, copy); v <- 0L until 1000) s.add(v)
    assert(copy.toBytes === sketch.toBytes)
  }

  test("keys that are objects are compacted by their own order") {
    val sketch = new QuantileSketch(TextOrder, capacity)
    random.shuffle((0 until 10000).toVector).foreach(i => sketch.add(f"$i%05d"))
    val keys = sketch.weightedKeys.map(_._1.toString)
    assert(keys === keys.sorted && keys.distinct.size === keys.size)
    assert(sketch.weightedKeys.map(_._2).sum === 10000)
  }

  test("a capacity that cannot be halved is refused") {
    Seq(0, -2, 3).foreach(c => intercept[IllegalArgumentException](new QuantileSketch(longs, c)))
  }
}
