// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.simulate

import io.sparkzorder.column.ZOrderColumn

/**
 * A column of the sampled rows, sorted.
 *
 * @param values
 *   per row, the value in Spark's internal form, null for NULL
 */
private[advise] final class SampledColumn(val column: ZOrderColumn, val values: Array[Any]) {

  private val sortedRows: Array[(Any, Int)] = {
    val pairs = values.indices.iterator.filter(values(_) != null).map(r => (column.keyType.key(values(r)), r)).toArray
    java.util.Arrays.sort(
      pairs.asInstanceOf[Array[AnyRef]],
      (a: AnyRef, b: AnyRef) =>
        column.keyType.compare(a.asInstanceOf[(Any, Int)]._1, b.asInstanceOf[(Any, Int)]._1))
    pairs
  }

  private def isNew(i: Int): Boolean =
    i == 0 || column.keyType.compare(sortedRows(i - 1)._1, sortedRows(i)._1) != 0

  /** Per distinct value, ascending, the place of its first row among the sorted rows; last, the number of these. */
  private val starts: Array[Int] = sortedRows.indices.filter(isNew).toArray :+ sortedRows.length

  /** Per row, the number of its value among the distinct ones, ascending; -1 for NULL. */
  val numbers: Array[Int] = {
    val of = Array.fill(values.length)(-1)
    for (v <- 0 until distinct; i <- starts(v) until starts(v + 1)) of(sortedRows(i)._2) = v
    of
  }

  /** The numbers as keys for the planner: it looks at the order of keys only, and longs are compared fastest. */
  lazy val keys: Array[Any] = numbers.map(n => if (n < 0) null else n.toLong: Any)

  /** Number of rows that have a value. */
  def size: Int = sortedRows.length

  def distinct: Int = starts.length - 1

  /** The place, among the sorted rows, of the middle one of those with a value. */
  def middle(number: Int): Int = (starts(number) + starts(number + 1) - 1) / 2

  /** The value of the row at a place among the sorted rows. */
  def at(place: Int): Any = values(sortedRows(place)._2)
}
