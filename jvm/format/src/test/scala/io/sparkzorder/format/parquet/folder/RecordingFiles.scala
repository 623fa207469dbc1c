// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import io.sparkzorder.QuickLocalFileSystem

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileStatus, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** The local file system, which keeps the paths that it is given. */
class RecordingFiles extends QuickLocalFileSystem {
  import RecordingFiles.note

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = {
    note(path)
    super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress)
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    note(path)
    super.open(path, bufferSize)
  }

  override def listStatus(path: Path): Array[FileStatus] = {
    note(path)
    super.listStatus(path)
  }

  override def rename(from: Path, to: Path): Boolean = {
    note(from)
    note(to)
    super.rename(from, to)
  }

  override def delete(path: Path, recursive: Boolean): Boolean = {
    note(path)
    super.delete(path, recursive)
  }

  override def mkdirs(path: Path): Boolean = {
    note(path)
    super.mkdirs(path)
  }
}

object RecordingFiles {

  private val paths = ConcurrentHashMap.newKeySet[String]()

  private def note(path: Path): Unit = paths.add(path.toUri.getPath)

  /** The settings of a session whose paths are kept. */
  val settings: Seq[(String, String)] =
    Seq("fs.file.impl" -> classOf[RecordingFiles].getName, "fs.file.impl.disable.cache" -> "true")

  /** The names below a folder that `body` used, and those of the folders on the way to them. */
  def names(folder: String)(body: => Unit): Set[String] = {
    paths.clear()
    body
    val below = paths.asScala.toSet.filter(_.startsWith(folder + "/")).map(_.stripPrefix(folder + "/"))
    below.flatMap(path => path.split('/').inits.filter(_.nonEmpty).map(_.mkString("/")))
  }
}
