// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

/**
 * The ranks of the z-order columns in each section: a table partition, or a part of one that is laid out on its own.
 *
 * A column that goes with the section, as a time does with its day, has only a small part of its values in each. By the
 * ranks of the whole table that part would differ in low bits alone, which the curve looks at last.
 *
 * @param tables
 *   per section number, one table per column; sections may share theirs
 */
final class RankTables(tables: Array[Array[ColumnRanks]]) extends Serializable {
  require(tables.nonEmpty && tables.forall(_.length == tables.head.length))

  def columns: Int = tables.head.length

  /** The order of a column's keys. */
  def order(column: Int): KeyOrder = tables.head(column).order

  def of(section: Int): Array[ColumnRanks] = tables(section)
}

object RankTables {

  /** A section of fewer sampled rows takes the ranks of the whole table. */
  private val MinRows = 32

  /**
   * @param orders
   *   the order of each column's keys
   * @param keys
   *   per column and sampled row, null for NULL
   * @param rowsOf
   *   per section, its sampled rows
   * @param bits
   *   number of bits of a rank
   * @param precision
   *   see [[ColumnRanks.of]]
   * @param shift
   *   per section and column, the number of bits that ranks are shifted down by
   */
  def of(
      orders: Seq[KeyOrder],
      keys: IndexedSeq[Array[Any]],
      rowsOf: IndexedSeq[Array[Int]],
      bits: Int,
      precision: Int,
      shift: (Int, Int) => Int = (_, _) => 0): RankTables = {
    def ranks(sample: Int => Array[Any]) =
      orders.indices.map(c => ColumnRanks.of(orders(c), sample(c), bits, precision)).toArray
    lazy val whole = ranks(keys(_))
    new RankTables(rowsOf.zipWithIndex.map { case (rows, section) =>
      val even = if (rowsOf.size == 1 || rows.length < MinRows) whole else ranks(c => rows.map(keys(c)(_)))
      if (orders.indices.forall(shift(section, _) == 0)) even
      else even.zipWithIndex.map { case (column, c) => column.shifted(shift(section, c)) }
    }.toArray)
  }
}
