package io.sparkzorder.skipping.index

import io.sparkzorder.column.ColumnStatistics

/**
 * The statistics of one column in every file of an index, by the file's number: [[ColumnStatistics]] in columns.
 *
 * Bounds are values in Spark's internal form and hold in Spark's order of the type: no value lies below `min` or above
 * `max`. Where a file of floating-point numbers may hold NaN, which Spark orders last, its maximum is NaN.
 *
 * @param min
 *   null where it is not known, or where there is no value
 * @param max
 *   likewise; bounds are known both or not at all
 * @param nullCounts
 *   rows without a value, or -1 where that is not known
 */
final class IndexedColumn(val min: Array[Any], val max: Array[Any], val nullCounts: Array[Long]) {

  /** What is known of the column in a file, by its number. */
  def apply(file: Int): ColumnStatistics =
    ColumnStatistics(min(file), max(file), Some(nullCounts(file)).filter(_ >= 0))
}

object IndexedColumn {

  /** @param statistics one per file, in the order of their numbers */
  def of(statistics: IndexedSeq[ColumnStatistics]): IndexedColumn =
    new IndexedColumn(
      statistics.map(_.min).toArray,
      statistics.map(_.max).toArray,
      statistics.map(_.nullCount.getOrElse(-1L)).toArray)
}
