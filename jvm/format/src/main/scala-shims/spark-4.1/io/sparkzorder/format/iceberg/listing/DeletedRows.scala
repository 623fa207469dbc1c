// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{DataFile, DeleteFile, FileScanTask, StructLike}
import org.apache.iceberg.util.ContentFileUtil

/**
 * Estimates deleted rows per file. A deletion vector counts exactly, and so do position deletes of one file, unless two
 * name the same row. Other deletes are shared over every file they may apply to, including files rewritten since: else
 * a file that a rewrite leaves, as few of its rows are deleted, would have all of them in the end.
 *
 * @param tasks
 *   of all files of the table
 * @param areOurs
 *   whether a rewrite wrote the file
 */
private[iceberg] final class DeletedRows(tasks: Seq[FileScanTask], areOurs: DataFile => Boolean) {

  private lazy val rowsBelow: Map[String, Long] = {
    val rewritten = tasks.map(_.file).filter(areOurs).groupMap(placeOf)(file => file.location -> file.recordCount)
    tasks.flatMap(task => task.deletes.asScala.map(_.location -> task.file)).groupMap(_._1)(_._2).map {
      case (delete, files) =>
        val others = files.map(placeOf).distinct.flatMap(rewritten.getOrElse(_, Nil))
        delete -> (files.map(file => file.location -> file.recordCount) ++ others).toMap.values.sum
    }
  }

  private def placeOf(file: DataFile): (Int, StructLike) = (file.specId, file.partition)

  /**
   * @param isOurs
   *   whether a rewrite wrote the file, which has left out the rows that were deleted up to the version that it read: that
   *   is the file's data sequence number
   */
  def estimate(task: FileScanTask, isOurs: Boolean): Double = {
    def isLater(delete: DeleteFile) = delete.dataSequenceNumber > task.file.dataSequenceNumber
    task.deletes.asScala.filter(delete => !isOurs || isLater(delete)).map(estimate(_, task)).sum
  }

  private def estimate(delete: DeleteFile, task: FileScanTask): Double =
    if (ContentFileUtil.isDV(delete) || ContentFileUtil.isFileScoped(delete)) delete.recordCount.toDouble
    else delete.recordCount.toDouble * task.file.recordCount / math.max(1L, rowsBelow(delete.location))
}
