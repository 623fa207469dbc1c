// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.FolderGroups
import io.sparkzorder.parquet.footer.FooterStatistics

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{JobContext, TaskAttemptContext}
import org.apache.spark.internal.io.{FileCommitProtocol, FileNameSpec}
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage

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
    extends FileCommitProtocol
    with Serializable {

  @transient private var task: TaskUploads = _
  @transient private var uploaded = Seq.empty[UploadedFile]

  /** The files of all tasks, when the job has succeeded. */
  def files: Seq[UploadedFile] = uploaded

  override def setupJob(job: JobContext): Unit = ()

  override def commitJob(job: JobContext, tasks: Seq[TaskCommitMessage]): Unit =
    uploaded = tasks.flatMap(_.obj.asInstanceOf[Seq[UploadedFile]])

  /** Whoever holds the table aborts the uploads by their records. */
  override def abortJob(job: JobContext): Unit = ()

  override def setupTask(attempt: TaskAttemptContext): Unit =
    task = new TaskUploads(new TableFolder(new Path(root), attempt.getConfiguration), new Path(run), footers)

  override def newTaskTempFile(attempt: TaskAttemptContext, dir: Option[String], ext: String): String =
    newTaskTempFile(attempt, dir, FileNameSpec("", ext))

  override def newTaskTempFile(attempt: TaskAttemptContext, dir: Option[String], name: FileNameSpec): String = {
    val number = attempt.getTaskAttemptID.getTaskID.getId
    val id = new Path(run).getName
    val file = f"${name.prefix}part-$number%05d-$id${name.suffix}"
    val partition = dir.fold(0)(_.split('/').last.stripPrefix(s"${FolderGroups.Column}=").toInt)
    // The driver refuses a partition that no row may have; nothing of it is ever completed.
    val folder = folders.getOrElse(partition, FolderGroups.Column)
    task.open(if (folder.isEmpty) file else s"$folder/$file", partition)
  }

  override def newTaskTempFileAbsPath(attempt: TaskAttemptContext, absoluteDir: String, ext: String): String =
    throw new UnsupportedOperationException("A rewrite writes into its table alone")

  override def commitTask(attempt: TaskAttemptContext): TaskCommitMessage = new TaskCommitMessage(task.commit())

  override def abortTask(attempt: TaskAttemptContext): Unit = if (task != null) task.abort()
}

private[parquet] object UploadCommit {

  /** Settings of the writers whose files it is to commit. */
  val settings: Map[String, String] = UploadFileSystem.settings
}
