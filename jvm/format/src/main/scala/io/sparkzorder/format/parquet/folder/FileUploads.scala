// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.CompletableFuture

import scala.util.control.NonFatal

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.FileUploads._

import org.apache.hadoop.fs.CommonPathCapabilities.FS_MULTIPART_UPLOADER
import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging

/** The uploads of a table's files; see [[FileUpload]]. */
private[folder] trait FileUploads extends Logging { folder: TableFolder =>

  /** Whether a file can be created by a condition with the call that completes it. */
  lazy val hasConditionalWrites: Boolean = files.has(FolderFiles.ConditionalOverwrite)

  /**
   * Whether files are uploaded to their places: on stores where a rename is a copy. What Hadoop calls an upload elsewhere
   * is a folder of files, which no abort closes for good. S3A says that it has them also where they are switched off.
   */
  lazy val hasUploads: Boolean =
    mayHaveUploads && !setting(UploadsSetting).exists(_.trim.equalsIgnoreCase("false")) && files.canUpload

  /** Whether other sessions may have uploads, also where this one makes none. */
  private lazy val mayHaveUploads: Boolean = hasConditionalWrites && files.has(FS_MULTIPART_UPLOADER)

  /**
   * Whether there can be uploads, of whichever session: S3A reports none where it encrypts files itself. Elsewhere a
   * log that names some was copied from a store, or made up.
   */
  private lazy val areUploads: Boolean =
    files.isStore && (files.has(FS_MULTIPART_UPLOADER) || scheme.startsWith("s3"))

  /** Whether a file in the folder of a rewrite is the record of an upload. */
  def isRecord(path: Path): Boolean = path.getName.endsWith(Suffix)

  /**
   * Starts the upload of a file.
   *
   * @param path
   *   the path that the file is to have
   * @param run
   *   folder of the record by which others find the upload and can abort it. An upload whose process is killed before the
   *   record is written has no parts.
   */
  def startUpload(path: Path, run: Path): FileUpload.Started = {
    val handle = files.startUpload(path)
    val upload = FileUpload(handle, IndexedSeq.empty).text
    // Attempts of one task have uploads of one path.
    val record = new Path(run, s"${path.getName}.${UUID.nameUUIDFromBytes(upload.getBytes(UTF_8))}$Suffix")
    val started = new FileUpload.Started(files, path, relative(record).get, handle)
    try {
      val document = Record(relative(path).get, upload)
      files.createUnseen(record, Json.mapper.writeValueAsBytes(document))
      started
    } catch {
      case NonFatal(e) =>
        try started.abort()
        catch { case NonFatal(other) => e.addSuppressed(other) }
        throw e
    }
  }

  /** Begins to complete an upload. What comes of it is to be seen in the folder. */
  def complete(path: Path, upload: String): CompletableFuture[Unit] =
    if (!areUploads) CompletableFuture.completedFuture(())
    else
      try files.complete(path, FileUpload.of(upload)).handle[Unit]((_, e) =>
          if (e != null) logWarning(s"Could not complete the upload of $path", e))
      catch {
        case NonFatal(e) =>
          logWarning(s"Could not complete the upload of $path", e)
          CompletableFuture.completedFuture(())
      }

  /** @return whether nobody can complete the upload any more, or it is completed */
  def abort(path: Path, upload: String): Boolean = !areUploads || {
    try {
      files.abort(path, FileUpload.of(upload))
      true
    } catch {
      case NonFatal(e) =>
        logWarning(s"Could not abort the upload of $path", e)
        false
    }
  }

  /**
   * Deletes the folder of a rewrite that is over, and aborts the uploads of which it has records. A record that is written
   * after the look at them stays, and so does that of an upload which cannot be aborted: the next statement finds them.
   *
   * @param known
   *   records, relative to the table, of uploads that are completed or whose handles the log has
   * @param isOwn
   *   see [[removeAll]]; None of a run of others
   */
  def removeRun(run: Path, known: Set[String] = Set.empty, isOwn: Option[ListedFile => Boolean] = None): Unit = {
    // Another session may have made uploads where this one can make none.
    val (records, others) = if (areUploads) list(run).map(_.getPath).partition(isRecord) else (Nil, Nil)
    if (records.isEmpty && !mayHaveUploads) removeAll(run, isOwn.getOrElse(_ => false), isOurs = isOwn.isDefined)
    else {
      others.foreach(removeAll(_))
      trying(run) {
        files.deleteFiles(records.filter(r => relative(r).exists(known) || abortRecorded(r)))
        // Of records alone a store makes no folder.
        if (others.nonEmpty) files.deleteEmpty(run)
      }
    }
  }

  /** @return whether nobody can complete the uploads any more of which a folder has records, or they are completed */
  def abortUploads(run: Path): Boolean =
    // All of them are tried.
    !areUploads || list(run).map(_.getPath).filter(isRecord).map(abortRecorded).forall(identity)

  private def abortRecorded(record: Path): Boolean =
    try read(record).forall { bytes =>
        val found = Json.mapper.readValue(bytes, classOf[Record])
        abort(resolve(found.path), found.upload)
      }
    catch {
      case NonFatal(e) =>
        logWarning(s"Could not read the record $record of an upload", e)
        false
    }
}

private[folder] object FileUploads {

  private val Suffix = ".upload"

  private val UploadsSetting = "fs.s3a.multipart.uploads.enabled"

  private final case class Record(path: String, upload: String)
}
