// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.{DataOutputStream, OutputStream}
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
 *   asks for what distinguishes both files, by their names; both are open then and have all their bytes
 */
private[parquet] final class CreatedFile private[folder] (
    data: OutputStream,
    sums: Option[(OutputStream, Int)],
    identify: () => Map[String, String])
    extends OutputStream {

  private val out = new DataOutputStream(sums.fold(OutputStream.nullOutputStream())(_._1))
  private val bytesPerSum = sums.fold(Int.MaxValue)(_._2)
  private val sum = new CRC32
  private var summed = 0
  private var isClosed = false
  private var found = KnownFiles.none

  out.write(CreatedFile.StartOfSums)
  out.writeInt(bytesPerSum)

  /** None until it is closed. */
  def known: KnownFiles = found

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
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

  override def flush(): Unit = {
    data.flush()
    out.flush()
  }

  override def close(): Unit = if (!isClosed) {
    isClosed = true
    Using.resources(data, out) { (_, _) =>
      if (summed > 0) writeSum()
      flush()
      found = KnownFiles.of(identify())
    }
  }
}

private[folder] object CreatedFile {

  /** The letters. */
  val StartOfSums: Array[Byte] = "crc\u0000".getBytes(US_ASCII)
}
