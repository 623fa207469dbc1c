// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import io.sparkzorder.key.{ColumnRanks, OrderedBits}

import org.apache.spark.sql.types.{Decimal, DoubleType, FloatType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Places the keys of a column on a scale of 0 to 1, in order and about as far apart as their values are.
 *
 * For estimates only: different keys may share a point. NULL lies at 0, below every value.
 */
final class KeyScale private (measure: Any => Double, lowest: Double, highest: Double) {

  def coordinate(key: Any): Double =
    if (key == null) 0.0
    else if (highest <= lowest) KeyScale.Middle
    else {
      val share = (measure(key) - lowest) / (highest - lowest)
      KeyScale.First + (1 - KeyScale.First) * math.max(0.0, math.min(1.0, share))
    }
}

object KeyScale {

  // Room for NULL below the lowest value.
  private val First = 0.01
  private val Middle = 0.5

  /**
   * @param keys
   *   the keys that the scale has to span, none of them null
   */
  def of(keyType: KeyType, keys: Iterable[Any]): KeyScale =
    if (keys.isEmpty) new KeyScale(_ => 0.0, 0.0, 0.0)
    else {
      val (lowest, highest) = (keys.min(keyType.ordering), keys.max(keyType.ordering))
      val measure = measureOf(keyType, lowest, highest, keys)
      new KeyScale(measure, measure(lowest), measure(highest))
    }

  private def measureOf(keyType: KeyType, lowest: Any, highest: Any, keys: Iterable[Any]): Any => Double =
    (keyType, lowest) match {
      case (LongKeyType(DoubleType | FloatType), _) => key => finite(OrderedBits.toDouble(key.asInstanceOf[Long]))
      // Of large numbers close together a double keeps the differences only.
      case (_: LongKeyType, low: Long) => key => distance(low, key.asInstanceOf[Long])
      case (_: StringKeyType, low: UTF8String) =>
        val common = commonBytes(low.getBytes, highest.asInstanceOf[UTF8String].getBytes)
        key => fraction(key.asInstanceOf[UTF8String].getBytes, common)
      case (_, low: Array[Byte]) =>
        val common = commonBytes(low, highest.asInstanceOf[Array[Byte]])
        key => fraction(key.asInstanceOf[Array[Byte]], common)
      case (_, _: Decimal) => key => key.asInstanceOf[Decimal].toDouble
      case _ => byRank(keyType, keys)
    }

  /** Half of `key - low`, which may be too large for a long; negative where it is. */
  private def distance(low: Long, key: Long): Double =
    if (key < low) -1.0 else ((key - low) >>> 1).toDouble + ((key - low) & 1) / 2.0

  private def finite(value: Double): Double =
    if (value.isNaN) Double.MaxValue / 4 else math.max(-Double.MaxValue / 4, math.min(Double.MaxValue / 4, value))

  private def commonBytes(left: Array[Byte], right: Array[Byte]): Int =
    left.zip(right).takeWhile { case (l, r) => l == r }.length

  /** The bytes after the first `skipped` as the digits of a fraction. */
  private def fraction(bytes: Array[Byte], skipped: Int): Double =
    (0 until 6).map(i =>
      (if (skipped + i < bytes.length) (bytes(skipped + i) & 0xff) + 1 else 0) / math.pow(257, i + 1)).sum

  /** Where values have no distance, their rank among the other values. */
  private def byRank(keyType: KeyType, keys: Iterable[Any]): Any => Double = {
    val bounds = keyType.bounds(keys.toArray.sorted(keyType.ordering).distinct)
    val ranks = new ColumnRanks(keyType, bounds, Array.tabulate(bounds.size + 1)(_.toLong))
    key => ranks.rankOf(key).toDouble
  }
}
