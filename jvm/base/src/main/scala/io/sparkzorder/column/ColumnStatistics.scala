// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

/**
 * The known statistics of a column of a file. Values are in Spark's internal form and in Spark's order of the type.
 *
 * @param min
 *   a value at or below every value; null where that is not known, and where there is no value
 * @param max
 *   a value at or above every value, likewise
 * @param nullCount
 *   number of rows without a value; None where that is not known
 * @param mayHoldNaN
 *   whether values may be NaN beside those that the bounds hold for
 */
final case class ColumnStatistics(min: Any, max: Any, nullCount: Option[Long], mayHoldNaN: Boolean = false) {

  /** These statistics without the bounds, for use where bounds do not hold for readers. */
  def unbounded: ColumnStatistics = copy(min = null, max = null)
}

object ColumnStatistics {

  val unknown: ColumnStatistics = ColumnStatistics(null, null, None)

  private val noFile: Int => Boolean = _ => false

  /**
   * The statistics of one column in every file, by the file's number: [[ColumnStatistics]] in arrays.
   *
   * Where a file of floating-point numbers may hold NaN, which Spark orders last, its maximum is NaN or the file is one of
   * `mayHoldNaN`.
   *
   * @param min
   *   per file, as in [[ColumnStatistics]]
   * @param max
   *   per file, likewise; bounds are known both or not at all
   * @param nullCounts
   *   per file, the number of rows without a value, or -1 where that is not known
   * @param mayHoldNaN
   *   the files in which values may be NaN beside those that the bounds hold for
   */
  final class OfFiles(
      val min: Array[Any],
      val max: Array[Any],
      val nullCounts: Array[Long],
      val mayHoldNaN: Int => Boolean = noFile) {

    /** What is known of the column in a file, by its number. */
    def apply(file: Int): ColumnStatistics =
      ColumnStatistics(min(file), max(file), Some(nullCounts(file)).filter(_ >= 0), mayHoldNaN(file))
  }

  /** @param statistics the statistics of each file, in the order of the numbers of files */
  def ofFiles(statistics: IndexedSeq[ColumnStatistics]): OfFiles =
    new OfFiles(
      statistics.map(_.min).toArray,
      statistics.map(_.max).toArray,
      statistics.map(_.nullCount.getOrElse(-1L)).toArray,
      statistics.map(_.mayHoldNaN))
}
