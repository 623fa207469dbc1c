// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.command.advise.simulate.WorkloadRead
import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.FileCuts

/**
 * The file sizes among which advice chooses.
 *
 * Smaller files always read fewer bytes, and each costs something to open. What Spark itself takes for that
 * (`spark.sql.files.openCostInBytes`) decides: the best size is the one with the least sum of bytes read and bytes that
 * could have been read while files were opened.
 *
 * @param sizes
 *   in bytes, the largest first; one where somebody has set it
 * @param openCost
 *   in bytes
 */
private[advise] final class TargetSizes private (val sizes: Seq[Long], openCost: Long) {

  def isFixed: Boolean = sizes.size == 1

  /** The size by which sets of columns are compared first: as small as keeps the number of files at most `most`. */
  def forSearch(tableBytes: Long, most: Int): Long = {
    val fitting = sizes.filter(FileCuts.files(tableBytes.toDouble, _) <= most)
    math.max(fitting.lastOption.getOrElse(sizes.head), tableBytes / most)
  }

  /** What a workload costs, as a share of the table's bytes. */
  def cost(read: WorkloadRead, tableBytes: Long): Double =
    if (isFixed) read.bytes else read.bytes + read.files * openCost / math.max(1L, tableBytes)
}

private[advise] object TargetSizes {

  /**
   * @param asked
   *   the size that the statement, the table or the session asks for, or that the table's files have from their last run
   */
  def of(asked: Option[Long], openCost: Long): TargetSizes = asked match {
    case Some(size) => new TargetSizes(Seq(size), openCost)
    case None =>
      val sizes = Iterator.iterate(TargetFileSize.Most)(_ / 2).takeWhile(_ >= TargetFileSize.Least)
      new TargetSizes(sizes.toSeq, openCost)
  }

  /** The size that the last runs aimed at, roughly, by the files that they left; None where none left several. */
  def ofLastRuns(files: Seq[DataFile]): Option[Long] = {
    val clustered = files.filter(_.clustering.exists(!_.isLayer)).groupBy(_.partition).values.filter(_.size > 1).flatten
    if (clustered.isEmpty) None
    else {
      val mean = clustered.map(_.bytes).sum / clustered.size
      Some(BigDecimal(mean).round(new java.math.MathContext(2)).toLong).filter(_ > 0)
    }
  }
}
