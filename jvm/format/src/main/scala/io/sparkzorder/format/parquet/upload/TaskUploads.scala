// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.net.URI
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.format.parquet.folder.{FileUpload, TableFolder}
import io.sparkzorder.parquet.footer.{FileStatistics, FooterStatistics}

import org.apache.hadoop.fs.{FSDataInputStream, FSDataOutputStream, FileStatus, FileSystem, Path}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.spark.internal.Logging

/**
 * A file that a task has uploaded, and that is to be completed.
 *
 * @param path
 *   the path that it is to have, relative to the table
 * @param record
 *   path of the record of its upload, likewise
 * @param partition
 *   number of its partition; see [[io.sparkzorder.format.parquet.listing.FolderGroups]]
 * @param upload
 *   what completes it
 */
private[parquet] final case class UploadedFile(
    path: String,
    record: String,
    partition: Int,
    bytes: Long,
    upload: String,
    footer: FileStatistics)

/**
 * The files that one attempt of a task uploads. Writers open them by paths of a file system of ours, [[UploadFileSystem]].
 *
 * @param run
 *   the folder for the records of uploads
 */
private[upload] final class TaskUploads(folder: TableFolder, run: Path, footers: FooterStatistics) extends Logging {
  import TaskUploads._

  private val id = UUID.randomUUID.toString
  private val files = mutable.ArrayBuffer.empty[Opened]
  running.put(id, this)

  /**
   * The path by which a writer opens a file.
   *
   * @param path
   *   the path that the file is to have, relative to the table
   */
  def open(path: String, partition: Int): String = {
    files += new Opened(path, partition)
    s"${UploadFileSystem.Scheme}:/$id/${files.size - 1}/${path.split('/').last}"
  }

  private def create(number: Int): FSDataOutputStream = {
    val file = files(number)
    require(file.stream.isEmpty, s"${file.path} is written twice")
    val upload = folder.startUpload(folder.resolve(file.path), run)
    val stream = new UploadStream(upload, UploadStream.PartBytes)
    file.stream = Some(upload -> stream)
    new FSDataOutputStream(stream, null)
  }

  /** Ends the task, whose writers have closed their files. */
  def commit(): Seq[UploadedFile] = {
    val uploaded = for (file <- files.toSeq; (upload, stream) <- file.stream) yield {
      val footer = footers.ofTail(folder.resolve(file.path).toString, stream.length, stream.footer)
      val text = upload.complete().text
      UploadedFile(file.path, upload.record, file.partition, stream.length, text, footer)
    }
    running.remove(id)
    uploaded
  }

  /** What fails here is left to who finds the records. */
  def abort(): Unit = {
    running.remove(id)
    for (file <- files; (upload, _) <- file.stream) {
      // A part that arrives after the abort would stay.
      quietly(upload.await())
      quietly(upload.abort())
    }
  }

  private def quietly(body: => Unit): Unit =
    try body
    catch { case NonFatal(e) => logWarning("Could not abort an upload", e) }
}

private[upload] object TaskUploads {

  private final class Opened(val path: String, val partition: Int) {
    var stream = Option.empty[(FileUpload.Started, UploadStream)]
  }

  // The attempts of tasks that write in this process.
  private val running = new ConcurrentHashMap[String, TaskUploads]()

  def create(path: Path): FSDataOutputStream = path.toUri.getPath.split('/') match {
    case Array("", id, number, _) if running.containsKey(id) => running.get(id).create(number.toInt)
    case _ => throw new java.io.FileNotFoundException(s"$path: no task writes it")
  }
}

/** Where writers of Parquet files, which want a path, open the files of [[TaskUploads]]. It has no other operation. */
private[upload] final class UploadFileSystem extends FileSystem {

  override def getUri: URI = URI.create(s"${UploadFileSystem.Scheme}:///")
  override def getScheme: String = UploadFileSystem.Scheme
  override def getWorkingDirectory: Path = new Path(getUri)
  override def setWorkingDirectory(path: Path): Unit = ()

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable): FSDataOutputStream = TaskUploads.create(path)

  private def no = throw new UnsupportedOperationException("Files of an upload can only be written")

  override def getFileStatus(path: Path): FileStatus = no
  override def listStatus(path: Path): Array[FileStatus] = no
  override def open(path: Path, bufferSize: Int): FSDataInputStream = no
  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = no
  override def rename(from: Path, to: Path): Boolean = no
  override def delete(path: Path, recursive: Boolean): Boolean = no
  override def mkdirs(path: Path, permission: FsPermission): Boolean = no
}

private[upload] object UploadFileSystem {

  val Scheme = "zorder-upload"

  /** Not out of Hadoop's cache, where another class loader's may lie. */
  val settings: Map[String, String] = Map(
    s"fs.$Scheme.impl" -> classOf[UploadFileSystem].getName,
    s"fs.$Scheme.impl.disable.cache" -> "true")
}
