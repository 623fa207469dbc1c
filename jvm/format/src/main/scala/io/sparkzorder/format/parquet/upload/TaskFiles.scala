// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.{FileNotFoundException, OutputStream}
import java.net.URI
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileStatus, FileSystem, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/**
 * Files that one attempt of a task writes by streams of ours. Writers of Parquet files, which want a path, open them by
 * paths of [[TaskFileSystem]].
 *
 * @tparam F
 *   a file
 */
private[parquet] abstract class TaskFiles[F] {

  private val id = UUID.randomUUID.toString
  private val files = mutable.ArrayBuffer.empty[F]

  protected def create(file: F): OutputStream

  /** All that were opened, in their order. */
  protected def opened: Seq[F] = files.toSeq

  /** The path by which a writer opens a file. */
  protected def open(file: F, name: String): String = {
    // Of a task that fails before it has a row Spark says nothing.
    if (files.isEmpty) TaskFiles.running.put(id, this)
    files += file
    s"${TaskFileSystem.Scheme}:/$id/${files.size - 1}/$name"
  }

  private def create(number: Int): OutputStream = create(files(number))

  /** Nothing is opened any more. */
  protected def end(): Unit = TaskFiles.running.remove(id)
}

private[upload] object TaskFiles {

  // Of the attempts that write in this process.
  private val running = new ConcurrentHashMap[String, TaskFiles[_]]()

  def create(path: Path): OutputStream = path.toUri.getPath.split('/') match {
    case Array("", id, number, _) if running.containsKey(id) => running.get(id).create(number.toInt)
    case _ => throw new FileNotFoundException(s"$path: no task writes it")
  }
}

/** It has no other operation. */
private[upload] final class TaskFileSystem extends FileSystem {

  override def getUri: URI = URI.create(s"${TaskFileSystem.Scheme}:///")
  override def getScheme: String = TaskFileSystem.Scheme
  override def getWorkingDirectory: Path = new Path(getUri)
  override def setWorkingDirectory(path: Path): Unit = ()

  // Spark reads the bytes that a task has written from Hadoop's counts.
  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = new FSDataOutputStream(TaskFiles.create(path), statistics)

  private def no = throw new UnsupportedOperationException("Files of a task can only be written")

  override def getFileStatus(path: Path): FileStatus = no
  override def listStatus(path: Path): Array[FileStatus] = no
  override def open(path: Path, bufferSize: Int): FSDataInputStream = no
  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = no
  override def rename(from: Path, to: Path): Boolean = no
  override def delete(path: Path, recursive: Boolean): Boolean = no
  override def mkdirs(path: Path, permission: FsPermission): Boolean = no
}

private[parquet] object TaskFileSystem {

  private[upload] val Scheme = "zorder-task"

  /** Settings of writers that open files by its paths. Not out of Hadoop's cache, where another class loader's may lie. */
  val settings: Map[String, String] = Map(
    s"fs.$Scheme.impl" -> classOf[TaskFileSystem].getName,
    s"fs.$Scheme.impl.disable.cache" -> "true")
}
