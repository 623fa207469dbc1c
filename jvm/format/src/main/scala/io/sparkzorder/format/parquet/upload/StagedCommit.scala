// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.FolderGroups

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.TaskAttemptContext

/**
 * A file that a task has staged.
 *
 * @param path
 *   its path, as a writer opens it
 * @param partition
 *   number of its partition; see [[io.sparkzorder.format.parquet.listing.FolderGroups]]
 */
private[parquet] final case class WrittenPath(path: String, partition: Int)

/**
 * Lets each attempt of a task write into a folder of its own, named by the attempt's number, where its files stay until the
 * entry of the rewrite moves them into the table. Spark's committers list what attempts have left, move it and delete folders
 * by their paths.
 *
 * @param root
 *   the folder of the table
 * @param run
 *   the folder in which the rewrite stages its files, and whose name is its id
 */
private[parquet] final class StagedCommit(root: String, run: String) extends RunCommit[WrittenPath](run) {

  @transient private var opened = Seq.empty[WrittenPath]
  @transient private var attempted: Path = _

  override def setupTask(attempt: TaskAttemptContext): Unit = {
    opened = Nil
    // Of all tasks of this Spark, whatever stage is run again.
    attempted = new Path(run, attempt.getTaskAttemptID.getId.toString)
  }

  override protected def open(name: String, partition: Int): String = {
    val to =
      new Path(if (partition == 0) attempted else new Path(attempted, s"${FolderGroups.Column}=$partition"), name)
    opened :+= WrittenPath(to.toString, partition)
    to.toString
  }

  override protected def written(): Seq[WrittenPath] = opened

  override def abortTask(attempt: TaskAttemptContext): Unit = if (opened != null && opened.nonEmpty) {
    val folder = new TableFolder(new Path(root), attempt.getConfiguration)
    opened.foreach(file => folder.delete(new Path(file.path)))
  }
}
