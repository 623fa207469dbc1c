// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

/**
 * Maps each value of a column to a rank of `bits` bits: the share of a sample that lies below it, scaled to `2**bits`.
 *
 * Every column fills the whole range of ranks whatever its cardinality, so a column of 5 values takes part in the
 * leading bits of a curve position exactly as one of a billion does. NULL lies below every value. Executable meaning:
 * `ranks` in tests/classic/layout_model.py.
 *
 * @param bounds
 *   the distinct values of the sample
 * @param ranks
 *   `bounds.size + 1` ranks, ascending: the rank of each bound and, last, that of values greater than all bounds
 */
final class ColumnRanks(val order: KeyOrder, val bounds: SortedBounds, ranks: Array[Long]) extends Serializable {
  require(ranks.length == bounds.size + 1)

  def nullRank: Long = 0L

  /** The same ranks without their lowest bits. */
  def shifted(by: Int): ColumnRanks = if (by == 0) this else new ColumnRanks(order, bounds, ranks.map(_ >>> by))

  // Cast once here: a pattern match per row would cost as much as the lookup.
  @transient private lazy val longs = bounds.asInstanceOf[LongBounds]
  @transient private lazy val objects = bounds.asInstanceOf[ObjectBounds]

  def rank(key: Long): Long = ranks(longs.lowerBound(key))

  def rank(key: AnyRef): Long = ranks(objects.lowerBound(key))

  /** The rank of a key of whatever form; for the driver and for interpreted evaluation. */
  def rankOf(key: Any): Long = bounds match {
    case _ if key == null => nullRank
    case _: LongBounds => rank(key.asInstanceOf[Long])
    case _: ObjectBounds => rank(key.asInstanceOf[AnyRef])
  }
}

object ColumnRanks {

  /** The precision that keeps every value of the sample. */
  val Exact: Int = Int.MaxValue

  /**
   * @param sample
   *   the keys of the sampled rows, null for NULL; need not be sorted
   * @param bits
   *   number of bits of a rank, 1 to 63
   * @param precision
   *   number of parts, by one of which ranks may be off. A lookup in a smaller table costs a fraction: it stays in the
   *   processor's cache. A value more frequent than that part keeps its exact rank, and shares it with no other
   */
  def of(order: KeyOrder, sample: Array[Any], bits: Int, precision: Int = Exact): ColumnRanks = {
    val keys = sample.filter(_ != null)
    java.util.Arrays.sort(keys.asInstanceOf[Array[AnyRef]], (a: AnyRef, b: AnyRef) => order.compare(a, b))
    val nulls = sample.length - keys.length
    val firsts = keys.indices.filter(i => i == 0 || order.compare(keys(i - 1), keys(i)) != 0).toArray
    val kept = if (firsts.length <= precision) firsts else thinned(firsts, keys.length, precision)
    val below = kept.map(_ + nulls) :+ sample.length
    // Where NULLs were seen they keep rank 0 for themselves.
    val lowest = if (nulls > 0) 1L else 0L
    val ranks = below.map(b => math.max(lowest, scale(b, math.max(sample.length, 1), bits)))
    new ColumnRanks(order, order.bounds(kept.map(keys)), ranks)
  }

  /**
   * One value of each of `precision` even parts of the sample, and frequent values with both neighbours.
   *
   * @param firsts
   *   index at which each value begins among the `total` sorted keys
   */
  private def thinned(firsts: Array[Int], total: Int, precision: Int): Array[Int] = {
    def end(i: Int) = if (i + 1 < firsts.length) firsts(i + 1) else total
    def isFrequent(i: Int) = i < firsts.length && (end(i) - firsts(i)).toLong * precision >= total
    def part(i: Int) = firsts(i).toLong * precision / total
    firsts.indices.filter(i => i == 0 || part(i) != part(i - 1) || isFrequent(i) || isFrequent(i + 1)).map(
      firsts).toArray
  }

  /** `below / total` of `2**bits`, exact, at most `2**bits - 1`. */
  private def scale(below: Int, total: Int, bits: Int): Long =
    (BigInt(below) << bits).min((BigInt(total) << bits) - 1)./(total).toLong
}

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
