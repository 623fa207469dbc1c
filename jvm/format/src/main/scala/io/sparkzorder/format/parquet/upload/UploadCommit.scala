// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.FolderGroups
import io.sparkzorder.parquet.footer.FooterStatistics

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

/**
 * Lets tasks upload files to their places in a table, where nobody sees them: what completes them goes to the driver.
 * Whatever attempts of tasks are lost, their uploads are aborted by their records when the rewrite ends.
 *
 * @param root
 *   the folder of the table
 * @param run
 *   the folder for the records of uploads, whose name is the id of the rewrite
 * @param folders
 *   by the numbers of partitions the folders of their new files, relative to the table; 0 where there are no partitions
 */
private[parquet] final class UploadCommit(
    root: String,
    run: String,
    folders: Map[Int, String],
    footers: FooterStatistics)
    extends RunCommit[UploadedFile](run) {

  @transient private var task: TaskUploads = _

  override def setupTask(attempt: TaskAttemptContext): Unit =
    task = new TaskUploads(new TableFolder(new Path(root), attempt.getConfiguration), new Path(run), footers)

  override protected def open(name: String, partition: Int): String = {
    // The driver refuses a partition that no row may have; nothing of it is ever completed.
    val folder = folders.getOrElse(partition, FolderGroups.Column)
    task.open(if (folder.isEmpty) name else s"$folder/$name", partition)
  }

  override protected def written(): Seq[UploadedFile] = task.commit()

  override def abortTask(attempt: TaskAttemptContext): Unit = if (task != null) task.abort()
}
