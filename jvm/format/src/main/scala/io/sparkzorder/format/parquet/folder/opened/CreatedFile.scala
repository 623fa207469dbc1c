// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.{ByteArrayOutputStream, DataOutputStream, IOException, OutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.CRC32

import scala.util.Using

/**
 * Writes a new file and, as Hadoop's `ChecksumFileSystem` does, its sums: letters, how many bytes each sum is of, and the sums
 * (CRC-32) of 4 bytes each.
 *
 * Not thread-safe.
 *
 * @param sums
 *   where they go, and how many bytes each is of; None without sums
 * @param identify
 *   asks for what distinguishes both files; both are open then and have all their bytes
 */
private[parquet] final class CreatedFile private[folder] (
    data: OutputStream,
    sums: Option[(OutputStream, Int)],
    identify: () => KnownFiles)
    extends OutputStream {

  private var out = Option(new CreatedFile.Out(data, sums, identify))
  private var found = KnownFiles.none

  /** None until it is closed. */
  def known: KnownFiles = found

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit =
    out.getOrElse(throw new IOException("The file is closed")).write(bytes, offset, length)

  override def flush(): Unit = out.foreach(_.flush())

  // A task may have very many that are closed: they keep no buffers.
  override def close(): Unit = out.foreach { open =>
    out = None
    found = open.close()
  }
}

private[folder] object CreatedFile {

  /** The letters. */
  val StartOfSums: Array[Byte] = "crc\u0000".getBytes(US_ASCII)

  /** Whether a file that begins with these bytes holds sums. */
  def isStartOfSums(start: Array[Byte]): Boolean = start.sameElements(StartOfSums)

  /** Whether these are sums, of as many bytes each as they say, of a content. */
  def areSumsOf(content: Array[Byte])(sums: Array[Byte]): Boolean =
    sums.length >= Header && isStartOfSums(sums.take(StartOfSums.length)) && {
      val bytesPerSum = ByteBuffer.wrap(sums).getInt(StartOfSums.length)
      bytesPerSum > 0 && {
        val right = new ByteArrayOutputStream
        val out = new Out(OutputStream.nullOutputStream(), Some(right -> bytesPerSum), () => KnownFiles.none)
        out.write(content, 0, content.length)
        out.close()
        right.toByteArray.sameElements(sums)
      }
    }

  private val Header = StartOfSums.length + Integer.BYTES

  private final class Out(data: OutputStream, sums: Option[(OutputStream, Int)], identify: () => KnownFiles) {
    private val out = new DataOutputStream(sums.fold(OutputStream.nullOutputStream())(_._1))
    private val bytesPerSum = sums.fold(Int.MaxValue)(_._2)
    private val sum = new CRC32
    private var summed = 0

    out.write(StartOfSums)
    out.writeInt(bytesPerSum)

    def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
      data.write(bytes, offset, length)
      var (from, left) = (offset, length)
      while (left > 0 && sums.nonEmpty) {
        val n = math.min(left, bytesPerSum - summed)
        sum.update(bytes, from, n)
        summed += n
        if (summed == bytesPerSum) writeSum()
        from += n
        left -= n
      }
    }

    private def writeSum(): Unit = {
      out.writeInt(sum.getValue.toInt)
      sum.reset()
      summed = 0
    }

    def flush(): Unit = {
      data.flush()
      out.flush()
    }

    def close(): KnownFiles = Using.resources(data, out) { (_, _) =>
      if (summed > 0) writeSum()
      flush()
      identify()
    }
  }
}
