// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.types.{DataType, DateType, TimestampNTZType, TimestampType}

/**
 * Whether a table can be partitioned by a column, so that lookups by it read one partition, whatever the layout is. Only
 * by one of few values: a partition for each key of a million would be a file for each row.
 */
private[command] object PartitionAdvice {

  /** In bytes; smaller partitions make files too small to skip by the other columns. */
  val LeastPartition = 100000000L

  /**
   * @param bytes
   *   number of bytes of the table
   * @param distinct
   *   number of distinct values; None where it is not known
   * @return
   *   what to partition by; None if each choice makes partitions that are too small, or only one
   */
  def of(column: String, dataType: DataType, bytes: Long, distinct: Option[Long], range: Option[(Any, Any)])
      : Option[String] = {
    def fits(partitions: Long) = partitions > 1 && bytes / partitions >= LeastPartition
    lazy val days = range.flatMap { case (low, high) => daysBetween(dataType, low, high) }
    def byTime = days.flatMap { count =>
      units.collectFirst { case (unit, length) if fits((count + length - 1) / length) => s"the $unit of $column" }
    }
    if (distinct.exists(fits)) Some(column) else byTime
  }

  private val units = Seq("day" -> 1L, "month" -> 30L, "year" -> 365L)

  private val MicrosOfDay = 24L * 3600 * 1000000

  /** The number of days from one value to another, both included; None of other types than times. */
  private def daysBetween(dataType: DataType, low: Any, high: Any): Option[Long] = (dataType, low, high) match {
    case (DateType, from: Int, to: Int) => Some(to.toLong - from + 1)
    case (TimestampType | TimestampNTZType, from: Long, to: Long) =>
      Some(Math.floorDiv(to, MicrosOfDay) - Math.floorDiv(from, MicrosOfDay) + 1)
    case _ => None
  }
}
