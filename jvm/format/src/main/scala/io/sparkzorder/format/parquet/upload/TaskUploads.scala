// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.OutputStream

import scala.util.control.NonFatal

import io.sparkzorder.format.parquet.folder.{FileUpload, TableFolder}
import io.sparkzorder.parquet.footer.{FileStatistics, FooterStatistics}

import org.apache.hadoop.fs.Path
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
 * The files that one attempt of a task uploads.
 *
 * @param run
 *   the folder for the records of uploads
 */
private[upload] final class TaskUploads(folder: TableFolder, run: Path, footers: FooterStatistics)
    extends TaskFiles[TaskUploads.Opened] with Logging {
  import TaskUploads._

  /**
   * The path by which a writer opens a file.
   *
   * @param path
   *   the path that the file is to have, relative to the table
   */
  def open(path: String, partition: Int): String = open(new Opened(path, partition), path.split('/').last)

  override protected def create(file: Opened): OutputStream = {
    require(file.stream.isEmpty, s"${file.path} is written twice")
    val upload = folder.startUpload(folder.resolve(file.path), run)
    val stream = new UploadStream(upload, UploadStream.PartBytes)
    file.stream = Some(upload -> stream)
    stream
  }

  /** Ends the task, whose writers have closed their files. */
  def commit(): Seq[UploadedFile] = {
    val uploaded = for (file <- opened; (upload, stream) <- file.stream) yield {
      val footer = footers.ofTail(folder.resolve(file.path).toString, stream.length, stream.footer)
      val text = upload.complete().text
      UploadedFile(file.path, upload.record, file.partition, stream.length, text, footer)
    }
    end()
    uploaded
  }

  /** What fails here is left to who finds the records. */
  def abort(): Unit = {
    end()
    for (file <- opened; (upload, _) <- file.stream) {
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

  final class Opened(val path: String, val partition: Int) {
    var stream = Option.empty[(FileUpload.Started, UploadStream)]
  }
}
