// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.collection.mutable.ArrayBuffer

/**
 * A summary of a column from which ranks are read: exact up to `capacity` values, of bounded size and error beyond.
 *
 * A key on level `h` stands for `2^h` values. A level that reaches `capacity` keys is sorted and every second key moves
 * one level up; whether the first or the second of each pair moves alternates, so that errors of successive compactions
 * cancel on average and no random number is needed. This is the compactor of Munro and Paterson, "Selection and sorting
 * with limited storage" (1980), and of Karnin, Lang and Liberty, "Optimal quantile approximation in streams" (2016),
 * with one capacity for all levels, which gives a bound that holds always and not just with a probability.
 *
 * For `N` values the levels are at most `L = log2(N / capacity) + 2`, so at most `L * capacity` keys are held. Each of
 * at most `N / (capacity * 2^h)` compactions of level `h` moves a rank by at most `2^h`: the rank of every value is off
 * by at most `N * (L - 1) / capacity`, with the default capacity 0.2 % of a billion values.
 *
 * The result depends on the order of additions and merges only beyond `capacity` values.
 *
 * @param capacity
 *   keys per level, an even number
 */
final class QuantileSketch(order: KeyOrder, capacity: Int = QuantileSketch.Capacity) {
  require(capacity > 0 && capacity % 2 == 0, s"capacity must be even and positive: $capacity")

  private val levels = ArrayBuffer(KeyBuffer.of(order))
  // Per level the offset, 0 or 1, of its next compaction.
  private val offsets = ArrayBuffer(0)
  private var nullCount = 0L

  /** How many nulls were added; they are counted apart from the values. */
  def nulls: Long = nullCount

  /** How many keys are held in memory. */
  def size: Int = levels.iterator.map(_.size).sum

  def addNull(): Unit = nullCount += 1

  /** Adds a key of `order`, which must not change afterwards. */
  def add(key: Any): Unit = {
    levels.head.append(key)
    if (levels.head.size >= capacity) compact()
  }

  /** Adds everything that `other`, of the same type and capacity, has seen; `other` is left as it is. */
  def merge(other: QuantileSketch): Unit = {
    nullCount += other.nullCount
    other.levels.indices.foreach { h =>
      if (h == levels.size) grow()
      levels(h).appendAll(other.levels(h))
    }
    compact()
  }

  /** The distinct keys held, ascending, each with the number of values that it stands for. */
  def weightedKeys: Seq[(Any, Long)] = {
    val all = for ((level, h) <- levels.toSeq.zipWithIndex; i <- 0 until level.size) yield (level(i), 1L << h)
    val result = ArrayBuffer.empty[(Any, Long)]
    all.sortWith((l, r) => order.compare(l._1, r._1) < 0).foreach { case (key, weight) =>
      if (result.nonEmpty && order.compare(result.last._1, key) == 0)
        result(result.size - 1) = (key, result.last._2 + weight)
      else result += ((key, weight))
    }
    result.toSeq
  }

  private def grow(): Unit = {
    levels += KeyBuffer.of(order)
    offsets += 0
  }

  private def compact(): Unit = {
    var h = 0
    while (h < levels.size) {
      if (levels(h).size >= capacity) {
        if (h + 1 == levels.size) grow()
        levels(h).compactInto(levels(h + 1), offsets(h))
        offsets(h) ^= 1
      }
      h += 1
    }
  }

  def toBytes: Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out = new DataOutputStream(bytes)
    val codec = order.codec
    out.writeLong(nullCount)
    out.writeInt(levels.size)
    levels.zip(offsets).foreach { case (level, offset) =>
      out.writeByte(offset)
      out.writeInt(level.size)
      (0 until level.size).foreach(i => codec.write(level(i), out))
    }
    out.flush()
    bytes.toByteArray
  }
}

object QuantileSketch {

  /** Keys per level: columns of fewer rows get exact ranges, and a level of longs is 64 KiB. */
  val Capacity = 8192

  /** The sketch of which `bytes` is the `toBytes`. */
  def fromBytes(order: KeyOrder, bytes: Array[Byte], capacity: Int = Capacity): QuantileSketch = {
    val sketch = new QuantileSketch(order, capacity)
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    val codec = order.codec
    sketch.nullCount = in.readLong()
    (0 until in.readInt()).foreach { h =>
      if (h > 0) sketch.grow()
      sketch.offsets(h) = in.readByte().toInt
      (0 until in.readInt()).foreach(_ => sketch.levels(h).append(codec.read(in)))
    }
    sketch
  }
}
