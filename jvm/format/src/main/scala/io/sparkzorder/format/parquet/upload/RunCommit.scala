// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import io.sparkzorder.format.parquet.listing.FolderGroups

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{JobContext, TaskAttemptContext}
import org.apache.spark.internal.io.{FileCommitProtocol, FileNameSpec}
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage

/**
 * What tasks of a rewrite have written, as they say it to the driver, which moves nothing and lists no folder for it: where
 * others may write, one of them could have put a link there.
 *
 * @param run
 *   the folder that has the name of the rewrite's id
 * @tparam F
 *   a file
 */
private[upload] abstract class RunCommit[F](run: String) extends FileCommitProtocol with Serializable {

  @transient private var committed = Seq.empty[F]

  /** The files of all tasks, when the job has succeeded. */
  def files: Seq[F] = committed

  /**
   * The path by which a writer opens a file.
   *
   * @param partition
   *   the number of its partition; 0 where there are no partitions
   */
  protected def open(name: String, partition: Int): String

  /** The files that this attempt of a task has written, whose writers have closed them. */
  protected def written(): Seq[F]

  override def setupJob(job: JobContext): Unit = ()

  override def commitJob(job: JobContext, tasks: Seq[TaskCommitMessage]): Unit =
    committed = tasks.flatMap(_.obj.asInstanceOf[Seq[F]])

  /** Whoever holds the table clears the folder when the rewrite ends. */
  override def abortJob(job: JobContext): Unit = ()

  override def newTaskTempFile(attempt: TaskAttemptContext, dir: Option[String], ext: String): String =
    newTaskTempFile(attempt, dir, FileNameSpec("", ext))

  // The id is in the names of files: whoever has to mend a table by hand sees by them what a rewrite has written.
  override def newTaskTempFile(attempt: TaskAttemptContext, dir: Option[String], name: FileNameSpec): String = {
    val number = attempt.getTaskAttemptID.getTaskID.getId
    val partition = dir.fold(0)(_.split('/').last.stripPrefix(s"${FolderGroups.Column}=").toInt)
    open(f"${name.prefix}part-$number%05d-${new Path(run).getName}${name.suffix}", partition)
  }

  override def newTaskTempFileAbsPath(attempt: TaskAttemptContext, absoluteDir: String, ext: String): String =
    throw new UnsupportedOperationException("A rewrite writes into its table alone")

  override def commitTask(attempt: TaskAttemptContext): TaskCommitMessage = new TaskCommitMessage(written())
}
