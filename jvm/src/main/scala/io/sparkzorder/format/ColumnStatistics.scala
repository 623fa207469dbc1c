package io.sparkzorder.format

import io.sparkzorder.key.KeyType
import io.sparkzorder.layout.measure.ColumnRange

/**
 * What a table records of one column of one file. Values in Spark's internal form, null where not recorded.
 *
 * @param low
 *   at or below every value
 * @param high
 *   at or above every value, as recorded
 * @param readerHigh
 *   the bound that a reader of the format skips by, where that is wider than `high` as recorded
 * @param rows
 *   rows in the file, deleted ones included
 */
final case class ColumnStatistics(low: Any, high: Any, readerHigh: Any, nullCount: Option[Long], rows: Option[Long]) {

  def range(keyType: KeyType): ColumnRange =
    if (low != null && readerHigh != null) ColumnRange.Within(keyType.key(low), keyType.key(readerHigh))
    else if (nullCount.isDefined && nullCount == rows) ColumnRange.NoValue
    else ColumnRange.Unknown
}

object ColumnStatistics {
  val unknown: ColumnStatistics = ColumnStatistics(null, null, null, None, None)
}
