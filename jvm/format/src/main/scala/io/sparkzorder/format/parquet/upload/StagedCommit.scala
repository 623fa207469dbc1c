// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.util.UUID

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
 * Lets each attempt of a task write into a folder of its own, where its files stay until the entry of the rewrite moves them
 * into the table. Spark's committers list what attempts have left, move it and delete folders by their paths.
 *
 * @param root
 *   the folder of the table
 * @param run
 *   the folder in which the rewrite stages its files, and whose name is its id
 */
private[parquet] final class StagedCommit(root: String, run: String) extends RunCommit[WrittenPath](run) {

  @transient private var opened = Seq.empty[WrittenPath]
  @transient private var folder: TableFolder = _
  @transient private var attempted: Path = _

  override def setupTask(attempt: TaskAttemptContext): Unit = {
    opened = Nil
    folder = new TableFolder(new Path(root), attempt.getConfiguration)
    // Nobody can foretell it.
    attempted = new Path(run, s"${attempt.getTaskAttemptID.getId}-${UUID.randomUUID}")
  }

  override protected def open(name: String, partition: Int): String = {
    val in = if (partition == 0) attempted else new Path(attempted, s"${FolderGroups.Column}=$partition")
    folder.makeBelow(new Path(run), in)
    val to = new Path(in, name)
    opened :+= WrittenPath(to.toString, partition)
    to.toString
  }

  override protected def written(): Seq[WrittenPath] = opened

  override def abortTask(attempt: TaskAttemptContext): Unit =
    if (folder != null) opened.foreach(file => folder.delete(new Path(file.path)))
}
