package io.sparkzorder.layout.measure

/** What is known of the values of one column in one file. Bounds are keys ([[io.sparkzorder.key.KeyType]]). */
sealed trait ColumnRange

object ColumnRange {

  /** Every value lies in `low .. high`, both included. */
  final case class Within(low: Any, high: Any) extends ColumnRange

  /** The file holds no value but NULL, or no row. */
  case object NoValue extends ColumnRange

  /** No bounds are known: a reader can never skip the file. */
  case object Unknown extends ColumnRange
}
