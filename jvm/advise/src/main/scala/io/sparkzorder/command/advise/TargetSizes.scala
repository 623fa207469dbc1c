// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.optimize.select.RewriteGroup
import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.layout.FileCuts

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The sizes to which OPTIMIZE would cut the files of a table, those of its partitions by themselves.
 *
 * @param size
 *   what the statement, the table, the session or the last run ask for
 * @param openCost
 *   bytes that could be read while a file is opened
 */
private[advise] final class TargetSizes(
    val size: TargetFileSize,
    groups: Seq[RewriteGroup],
    isPartitioned: Boolean,
    openCost: Long) {

  private val bytesOf: Map[InternalRow, Long] =
    groups.map(group => group.partition -> group.rewritten.map(_.liveBytes).sum).toMap

  private val tableBytes = bytesOf.values.sum

  /** @param columns number of z-order columns */
  def bytesFor(group: RewriteGroup, columns: Int): Long = size.bytes(bytesOf(group.partition), columns, isPartitioned)

  /** The size in the largest partition. */
  def largest(columns: Int): Long = groups.map(bytesFor(_, columns)).max

  /** Number of files that a layout would have. */
  def files(columns: Int): Int =
    groups.map(group => FileCuts.files(bytesOf(group.partition).toDouble, bytesFor(group, columns)).toLong).sum.min(
      Int.MaxValue).toInt

  /**
   * What a workload costs, as a share of the table's bytes. The automatic size differs from one set of columns to the
   * other: smaller files read fewer bytes, and each costs something to open.
   */
  def cost(read: WorkloadRead): Double = size match {
    case TargetFileSize.Asked(_) => read.bytes
    case TargetFileSize.Auto => read.bytes + read.files * openCost / math.max(1L, tableBytes)
  }
}

private[advise] object TargetSizes {

  // Files of one size vary that much, as they are cut at borders of curve cells.
  private val Alike = 1.5

  /**
   * The size that the last runs aimed at, roughly, by the files that they left; None where none left several, or where
   * they are of the size that is automatic.
   */
  def ofLastRuns(groups: Seq[RewriteGroup], isPartitioned: Boolean): Option[TargetFileSize] = {
    val clustered = groups.filter(g => g.rewritten.size > 1 && g.rewritten.exists(_.clustering.exists(!_.isLayer)))
    val files = clustered.flatMap(_.rewritten).filter(_.clustering.exists(!_.isLayer))
    if (files.isEmpty) None
    else {
      val automatic = new TargetSizes(TargetFileSize.Auto, clustered, isPartitioned, 0)
      val expected = automatic.files(files.head.clustering.fold(1)(_.columns.size))
      val found = files.size.toDouble / expected
      if (found < Alike && found > 1 / Alike) None
      else
        Some(BigDecimal(files.map(_.bytes).sum / files.size).round(new java.math.MathContext(2)).toLong)
          .filter(_ > 0).map(TargetFileSize.Asked)
    }
  }
}
