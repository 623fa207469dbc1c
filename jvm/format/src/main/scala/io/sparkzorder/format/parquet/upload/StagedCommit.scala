// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.OutputStream
import java.util.UUID

import scala.collection.mutable

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.access.StagedAccess
import io.sparkzorder.format.parquet.folder.opened.{CreatedFile, KnownFiles}
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
 * @param known
 *   what its task knows of it
 */
private[parquet] final case class WrittenPath(path: String, partition: Int, known: KnownFiles = KnownFiles.none)

/**
 * Lets each attempt of a task write into a folder of its own, where its files stay until the entry of the rewrite moves them
 * into the table. Spark's committers list what attempts have left, move it and delete folders by their paths.
 *
 * @param root
 *   the folder of the table
 * @param run
 *   the folder in which the rewrite stages its files, and whose name is its id
 * @param access
 *   that of new files on a local disk until the driver opens them
 */
private[parquet] final class StagedCommit(root: String, run: String, access: StagedAccess)
    extends RunCommit[WrittenPath](run) {

  @transient private var task: StagedCommit.Attempt = _

  // Nobody can foretell its folder.
  override def setupTask(attempt: TaskAttemptContext): Unit = task = new StagedCommit.Attempt(
    new TableFolder(new Path(root), attempt.getConfiguration),
    new Path(run),
    access,
    s"${attempt.getTaskAttemptID.getId}-${UUID.randomUUID}")

  override protected def open(name: String, partition: Int): String = task.open(name, partition)

  override protected def written(): Seq[WrittenPath] = task.commit()

  override def abortTask(attempt: TaskAttemptContext): Unit = if (task != null) task.abort()
}

private[upload] object StagedCommit {

  /**
   * The files of an attempt. On a local disk they are created through opened folders: in a link's place that somebody has put
   * on the way since the folder was made a writer would follow it.
   *
   * @param run
   *   the rewrite's folder
   * @param name
   *   of the attempt's folder in it
   */
  private final class Attempt(folder: TableFolder, run: Path, access: StagedAccess, name: String)
      extends TaskFiles[WrittenPath] {

    private val attempted = new Path(run, name)
    private val goesByPaths = !folder.isPlain
    private var byPaths = Seq.empty[WrittenPath]
    private val streams = mutable.Map.empty[WrittenPath, CreatedFile]

    def open(name: String, partition: Int): String = {
      val in = if (partition == 0) attempted else new Path(attempted, s"${FolderGroups.Column}=$partition")
      folder.makeBelow(run, in)
      val file = WrittenPath(new Path(in, name).toString, partition)
      if (!goesByPaths) open(file, name)
      else {
        byPaths :+= file
        file.path
      }
    }

    override protected def create(file: WrittenPath): OutputStream = {
      val stream = folder.created(new Path(file.path), access.inTask)
      streams.put(file, stream)
      stream
    }

    private def all: Seq[WrittenPath] = byPaths ++ opened

    def commit(): Seq[WrittenPath] = {
      end()
      all.map(file => streams.get(file).fold(file)(stream => file.copy(known = stream.known)))
    }

    def abort(): Unit = {
      end()
      all.foreach(file => folder.delete(new Path(file.path)))
    }
  }
}
