// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

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
