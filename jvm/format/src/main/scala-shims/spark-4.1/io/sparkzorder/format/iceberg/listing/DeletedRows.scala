// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{DeleteFile, FileScanTask}
import org.apache.iceberg.util.ContentFileUtil

/**
 * About how many rows of each file are deleted. A deletion vector tells it; so do position deletes of one file, unless two
 * name the same row. Other deletes tell only how many there are: these are shared out over the files that they may be of.
 *
 * @param tasks
 *   of all files of the table
 */
private[iceberg] final class DeletedRows(tasks: Seq[FileScanTask]) {

  private lazy val rowsBelow: Map[String, Long] =
    tasks.flatMap(t => t.deletes.asScala.map(_.location -> t.file.recordCount)).groupMapReduce(_._1)(_._2)(_ + _)

  /**
   * @param isOurs
   *   whether a rewrite wrote the file, which has left out the rows that were deleted up to the version that it read: that
   *   is the file's data sequence number
   */
  def of(task: FileScanTask, isOurs: Boolean): Double = {
    def isLater(delete: DeleteFile) = delete.dataSequenceNumber > task.file.dataSequenceNumber
    task.deletes.asScala.filter(delete => !isOurs || isLater(delete)).map(of(_, task)).sum
  }

  private def of(delete: DeleteFile, task: FileScanTask): Double =
    if (ContentFileUtil.isDV(delete) || ContentFileUtil.isFileScoped(delete)) delete.recordCount.toDouble
    else delete.recordCount.toDouble * task.file.recordCount / math.max(1L, rowsBelow(delete.location))
}
