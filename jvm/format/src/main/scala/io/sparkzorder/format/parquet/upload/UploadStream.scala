// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.upload

import java.io.{IOException, OutputStream}

import scala.util.{Failure, Try}

import io.sparkzorder.format.parquet.folder.FileUpload

/**
 * Sends what is written to a Parquet file in parts, at most two of them in memory: one that is filled while the one before
 * it is sent. The last bytes are kept, for the footer.
 *
 * Not thread-safe.
 *
 * @param partBytes
 *   size of all parts but the last; stores want at least 5 MiB
 */
private[upload] final class UploadStream(upload: FileUpload.Started, partBytes: Int) extends OutputStream {
  import UploadStream._

  // Those before `filling` were sent; the one right before it is still held.
  private var filling = new Array[Byte](math.min(partBytes, FirstBytes))
  private var filled = 0
  private var sent = Array.emptyByteArray
  private var bytesSent = 0L
  private var isClosed = false
  private var footerOfClosed: Try[Array[Byte]] = Failure(new IllegalStateException("The file is not closed"))

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (isClosed) throw new IOException("The file is closed")
    var (from, left) = (offset, length)
    while (left > 0) {
      if (filled == partBytes) send(isLast = false)
      val n = math.min(left, partBytes - filled)
      reserve(filled + n)
      System.arraycopy(bytes, from, filling, filled, n)
      filled += n
      from += n
      left -= n
    }
  }

  private def reserve(bytes: Int): Unit = if (filling.length < bytes) {
    val size = math.min(partBytes.toLong, math.max(bytes.toLong, filling.length * 2L))
    filling = java.util.Arrays.copyOf(filling, size.toInt)
  }

  /** The part that was sent before is overwritten from here on. */
  private def send(isLast: Boolean): Unit = {
    upload.await()
    upload.put(filling, filled, isLast)
    bytesSent += filled
    if (!isLast) {
      val next = if (sent.length == partBytes) sent else new Array[Byte](partBytes)
      sent = filling
      filling = next
      filled = 0
    }
  }

  override def close(): Unit = if (!isClosed) {
    isClosed = true
    // A store takes no upload without a part.
    send(isLast = true)
    upload.await()
    // A task has several files, and holds their streams to its end.
    footerOfClosed = Try(lastBytes())
    filling = Array.emptyByteArray
    sent = Array.emptyByteArray
  }

  /** The bytes of the file, when it is closed. */
  def length: Long = bytesSent

  /**
   * The footer of the file when it is closed, and what comes after it.
   *
   * @throws java.io.IOException where it is larger than a part
   */
  def footer: Array[Byte] = footerOfClosed.get

  private def lastBytes(): Array[Byte] = {
    def last(n: Long): Array[Byte] = {
      val ofBefore = n - filled
      if (ofBefore > sent.length)
        throw new IOException(s"A footer of $n bytes is too large for an upload in parts. $Remedy")
      if (ofBefore <= 0) filling.slice(filled - n.toInt, filled)
      else sent.drop(sent.length - ofBefore.toInt) ++ filling.take(filled)
    }
    val end = last(math.min(length, LengthAndMagic))
    if (end.length < LengthAndMagic) end
    else {
      val bytes = java.nio.ByteBuffer.wrap(end).order(java.nio.ByteOrder.LITTLE_ENDIAN).getInt & 0xffffffffL
      last(math.min(length, bytes + LengthAndMagic))
    }
  }
}

private[upload] object UploadStream {

  // A task holds two of them; a store takes 10,000 for a file.
  val PartBytes: Int = 16 << 20

  private val FirstBytes = 1 << 16

  // The end of a Parquet file: the length of the footer, and four letters.
  private val LengthAndMagic = 8L

  private val Remedy = "With fs.s3a.multipart.uploads.enabled = false files are staged and copied."
}
