// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.config

import java.util.Locale

import scala.util.Try

import org.apache.spark.network.util.JavaUtils

/** The size that a file of a layout is to have. */
sealed trait TargetFileSize {

  /**
   * @param partition
   *   number of bytes of a table partition, all of its files
   * @param columns
   *   number of z-order columns
   * @param isPartitioned
   *   whether the table has partitions
   * @return
   *   number of bytes of a file of this partition, 1 or more
   */
  def bytes(partition: => Long, columns: Int, isPartitioned: Boolean): Long
}

object TargetFileSize {

  /** A size that somebody has asked for, 1 byte or more. */
  final case class Asked(size: Long) extends TargetFileSize {
    override def bytes(partition: => Long, columns: Int, isPartitioned: Boolean): Long = size
  }

  /**
   * The size that gives a layout files enough to skip: 4 for each column, that is 4 ^ columns, as a lookup by any of them
   * then reads a quarter. Files of less than [[Least]] cost more to open than they save.
   */
  case object Auto extends TargetFileSize {
    override def bytes(partition: => Long, columns: Int, isPartitioned: Boolean): Long = {
      val most = if (isPartitioned) MostColumnsInPartitions else MostColumns
      math.max(Least, math.min(Most, partition >> 2 * math.min(columns, most)))
    }
  }

  val AutoName = "auto"

  /** What a text may be, for messages. */
  val Allowed = "'auto', or a size of 1 byte or more, such as '256m'"

  private val MiB = 1L << 20

  /** In bytes; what Spark could read while it opens a file is half of this. */
  val Least: Long = 8 * MiB

  /** In bytes; larger files only make the tasks that write them longer. */
  val Most: Long = 256 * MiB

  // 256 files, and 64 in each partition: of partitions there may be thousands.
  private val MostColumns = 4
  private val MostColumnsInPartitions = 3

  /** @return None for a text that is no size */
  def parse(text: String): Option[TargetFileSize] = text.trim.toLowerCase(Locale.ROOT) match {
    case AutoName => Some(Auto)
    case size => Try(JavaUtils.byteStringAsBytes(size)).toOption.filter(_ > 0).map(Asked)
  }
}
