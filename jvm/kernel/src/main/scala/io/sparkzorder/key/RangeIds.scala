// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

/**
 * The ranges that a column is cut into: gives each key the id of its range.
 *
 * @param starts
 *   the keys at which a range with a greater id begins, ascending
 * @param ids
 *   the ids of these ranges; values below the first start have the id 0
 */
final class RangeIds private (starts: SortedBounds, ids: Array[Int]) extends Serializable {

  // One method per form of key, so that neither generated nor interpreted code boxes or allocates.

  def of(key: Long): Int = at(starts.asInstanceOf[LongBounds].upperBound(key))

  def of(key: AnyRef): Int = at(starts.asInstanceOf[ObjectBounds].upperBound(key))

  /** For a key whose form is known only at run time. */
  def ofKey(key: Any): Int = key match {
    case long: Long if starts.isInstanceOf[LongBounds] => of(long)
    case value => of(value.asInstanceOf[AnyRef])
  }

  private def at(place: Int): Int = if (place == 0) 0 else ids(place - 1)
}

object RangeIds {

  /** NULL sorts below every value, so no row is strictly below it. */
  val OfNull = 0

  def apply(order: KeyOrder, starts: Seq[(Any, Int)]): RangeIds =
    new RangeIds(order.bounds(starts.map(_._1).toArray[Any]), starts.map(_._2).toArray)

  /**
   * Cuts a column into `n` even ranges: the id of a value is `floor(n * rows below it / rows)`.
   *
   * @param weightedKeys
   *   distinct keys, ascending, with the number of rows of each
   * @param nulls
   *   number of rows below all keys
   * @return
   *   each key whose id is greater than that of the key before it, with its id; fewer than `n` pairs
   */
  def starts(weightedKeys: Seq[(Any, Long)], nulls: Long, n: Int): Seq[(Any, Int)] = {
    val rows = BigInt(nulls + weightedKeys.iterator.map(_._2).sum)
    val below = weightedKeys.scanLeft(nulls)((sum, key) => sum + key._2)
    // The product may exceed a long.
    val ids = weightedKeys.zip(below).map { case ((key, _), b) => (key, (BigInt(b) * n / rows).toInt) }
    ids.zip(0 +: ids.map(_._2)).collect { case ((key, id), previous) if id > previous => (key, id) }
  }
}
