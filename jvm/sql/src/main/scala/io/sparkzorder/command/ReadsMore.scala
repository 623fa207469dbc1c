// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.types.{DataType, DateType, TimestampNTZType, TimestampType}

/** Lookups that a new layout serves clearly worse than the files did before, such as those of the order in which loads came. */
private[command] object ReadsMore {

  // Shares are from a sample, and a lookup in one file more or less decides nothing.
  private val Factor = 1.5
  private val Least = 0.02

  // One file, and sometimes its neighbour.
  private val FilesInOrder = 2.0
  private val FewestFiles = 8

  /**
   * Whether files are in the order of a column.
   *
   * @param read
   *   number of files that a lookup reads on average
   */
  def isInOrder(read: Double, files: Int): Boolean = files >= FewestFiles && read <= FilesInOrder

  /**
   * What to do about files in the order of columns.
   *
   * @param partitionBy
   *   what the table can be partitioned by, one element for each of these columns that it can be
   */
  def remedy(partitionBy: Seq[String]): String = {
    val fewer = "z-order by fewer columns, or leave the files in that order"
    if (partitionBy.isEmpty) fewer
    else
      s"partition the table by ${partitionBy.mkString(" or by ")}, and z-order by the others within the partitions; or $fewer"
  }

  /** @param before, after the shares, 0 to 1, that a lookup reads */
  def isClear(before: Double, after: Double): Boolean = after >= Factor * before && after - before >= Least
}

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
