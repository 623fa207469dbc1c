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
}
