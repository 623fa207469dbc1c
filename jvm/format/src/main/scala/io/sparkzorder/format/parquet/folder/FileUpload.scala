// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.util.Base64
import java.util.concurrent.CompletableFuture
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import scala.util.Using

import org.apache.hadoop.fs.{BBPartHandle, BBUploadHandle, PartHandle, Path, UploadHandle}
import org.apache.hadoop.util.functional.FutureIO

/**
 * A file that is sent to a store in parts. Nobody sees it before the upload is completed, which is one call; once the upload
 * is aborted nobody can complete it any more.
 *
 * @param handle
 *   the file system's own name of the upload
 * @param parts
 *   likewise of its parts, in their order
 */
private[parquet] final case class FileUpload(handle: ByteBuffer, parts: IndexedSeq[ByteBuffer]) {

  private[folder] def uploadHandle: UploadHandle = BBUploadHandle.from(handle.duplicate())

  private[folder] def partHandles: IndexedSeq[PartHandle] = parts.map(part => BBPartHandle.from(part.duplicate()))

  /** For files that are written down. Handles repeat each other: compressed they take a fifth. */
  def text: String = {
    val bytes = new ByteArrayOutputStream
    Using.resource(new DataOutputStream(new GZIPOutputStream(bytes))) { out =>
      out.writeInt(parts.size)
      (handle +: parts).foreach { part =>
        out.writeInt(part.remaining)
        out.write(FileUpload.bytes(part))
      }
    }
    Base64.getEncoder.encodeToString(bytes.toByteArray)
  }
}

private[parquet] object FileUpload {

  /** @throws java.io.IOException where it is no such text */
  def of(text: String): FileUpload =
    Using.resource(new DataInputStream(new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder.decode(text))))) {
      in =>
        def next() = ByteBuffer.wrap(in.readNBytes(in.readInt()))
        val parts = in.readInt()
        val handle = next()
        FileUpload(handle, IndexedSeq.fill(parts)(next()))
    }

  private def bytes(buffer: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(bytes)
    bytes
  }

  /**
   * An upload whose parts are still to be sent.
   *
   * @param path
   *   the path that the file is to have
   * @param record
   *   path of the record of the upload, relative to the table; see [[FileUploads.startUpload]]
   */
  final class Started private[folder] (files: FolderFiles, path: Path, val record: String, handle: ByteBuffer) {

    private val started = FileUpload(handle, IndexedSeq.empty)
    private var parts = IndexedSeq.empty[CompletableFuture[ByteBuffer]]

    /** Begins to send the next part. The bytes must not change until [[await]] has returned. */
    def put(bytes: Array[Byte], length: Int, isLast: Boolean): Unit =
      parts :+= files.putPart(path, started, parts.size + 1, new ByteArrayInputStream(bytes, 0, length), length, isLast)

    /** Waits until all parts that were begun are sent. */
    def await(): Unit = parts.lastOption.foreach(FutureIO.awaitFuture(_))

    /** What completes the upload. */
    def complete(): FileUpload = FileUpload(handle, parts.map(FutureIO.awaitFuture(_)))

    /** @throws java.io.IOException where it may be there afterwards */
    def abort(): Unit = files.abort(path, started)
  }
}
