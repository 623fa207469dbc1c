package io.sparkzorder.key

import org.apache.spark.unsafe.types.UTF8String

/**
 * Maps each value of a column to a rank of `bits` bits: the share of a sample that lies below it, scaled to `2**bits`.
 *
 * Every column fills the whole range of ranks whatever its cardinality, so a column of 5 values takes part in the
 * leading bits of a curve's index exactly as one of a billion does. NULL lies below every value. Executable meaning:
 * `ranks` in the design's layout model.
 *
 * @param bounds
 *   the distinct values of the sample
 * @param ranks
 *   `bounds.size + 1` ranks, ascending: that of each bound and, last, that of values above them all
 */
final class ColumnRanks(val keyType: KeyType, val bounds: SortedBounds, ranks: Array[Long]) extends Serializable {
  require(ranks.length == bounds.size + 1)

  def nullRank: Long = 0L

  // Cast once here: a pattern match per row would cost as much as the look-up.
  @transient private lazy val longs = bounds.asInstanceOf[LongBounds]
  @transient private lazy val strings = bounds.asInstanceOf[StringBounds]
  @transient private lazy val values = bounds.asInstanceOf[ValueBounds]

  def rank(key: Long): Long = ranks(longs.lowerBound(key))

  def rank(key: UTF8String): Long = ranks(strings.lowerBound(key))

  def rank(key: AnyRef): Long = ranks(values.lowerBound(key))

  /** The rank of a key of whatever form; for the driver and for interpreted evaluation. */
  def rankOf(key: Any): Long = bounds match {
    case _ if key == null => nullRank
    case _: LongBounds => rank(key.asInstanceOf[Long])
    case _: StringBounds => rank(key.asInstanceOf[UTF8String])
    case _: ValueBounds => rank(key.asInstanceOf[AnyRef])
  }
}

object ColumnRanks {

  /**
   * @param sample
   *   the keys of the sampled rows, null for NULL; need not be sorted
   * @param bits
   *   1 to 63
   */
  def of(keyType: KeyType, sample: Array[Any], bits: Int): ColumnRanks = {
    val keys = sample.filter(_ != null)
    java.util.Arrays.sort(keys.asInstanceOf[Array[AnyRef]], (a: AnyRef, b: AnyRef) => keyType.compare(a, b))
    val nulls = sample.length - keys.length
    val firsts = keys.indices.filter(i => i == 0 || keyType.compare(keys(i - 1), keys(i)) != 0).toArray
    val below = firsts.map(_ + nulls) :+ sample.length
    // Where NULLs were seen they keep rank 0 for themselves.
    val lowest = if (nulls > 0) 1L else 0L
    val ranks = below.map(b => math.max(lowest, scale(b, math.max(sample.length, 1), bits)))
    new ColumnRanks(keyType, keyType.bounds(firsts.map(keys)), ranks)
  }

  /** `below / total` of `2**bits`, exact, at most `2**bits - 1`. */
  private def scale(below: Int, total: Int, bits: Int): Long =
    (BigInt(below) << bits).min((BigInt(total) << bits) - 1)./(total).toLong
}
