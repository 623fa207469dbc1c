package io.sparkzorder.column

/**
 * What is known of a column of a file. Values are in Spark's internal form and in Spark's order of the type.
 *
 * @param min
 *   at or below every value; null where that is not known, and where there is no value
 * @param max
 *   at or above every value, likewise
 * @param nullCount
 *   number of rows without a value; None where that is not known
 */
final case class ColumnStatistics(min: Any, max: Any, nullCount: Option[Long]) {

  /** Without the bounds, where they do not hold for readers. */
  def unbounded: ColumnStatistics = copy(min = null, max = null)
}

object ColumnStatistics {
  val unknown: ColumnStatistics = ColumnStatistics(null, null, None)
}
