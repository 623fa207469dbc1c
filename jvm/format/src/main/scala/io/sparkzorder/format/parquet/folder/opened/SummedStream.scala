// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.{DataOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.CRC32

import scala.util.Using

/**
 * Writes a file and its sums, as Hadoop's `ChecksumFileSystem` does: letters, how many bytes each sum is of, and the sums
 * (CRC-32) of 4 bytes each.
 *
 * Not thread-safe.
 */
private[folder] final class SummedStream(data: OutputStream, sums: OutputStream, bytesPerSum: Int)
    extends OutputStream {

  private val out = new DataOutputStream(sums)
  private val sum = new CRC32
  private var summed = 0

  out.write(SummedStream.Start)
  out.writeInt(bytesPerSum)

  override def write(byte: Int): Unit = write(Array(byte.toByte), 0, 1)

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    data.write(bytes, offset, length)
    var (from, left) = (offset, length)
    while (left > 0) {
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

  override def close(): Unit = Using.resources(data, out)((_, _) => if (summed > 0) writeSum())
}

private[folder] object SummedStream {

  /** The letters. */
  val Start: Array[Byte] = "crc\u0000".getBytes(US_ASCII)
}
