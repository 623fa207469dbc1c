// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import io.sparkzorder.columnar.ByteArrays

import org.apache.parquet.bytes.BytesInput
import org.apache.spark.unsafe.Platform

/** The bytes of a page, with room in front of them: levels are known last and come first. */
private[encoder] final class PageBuffer {
  import PageBuffer._

  var bytes: Array[Byte] = new Array[Byte](8 << 10)

  /** Behind the last byte. */
  var end: Int = Front

  def size: Int = end - Front

  /** Makes room for more bytes, and for eight to spare. */
  def reserve(more: Long): Unit = bytes = ByteArrays.grown(bytes, end + more + 16)

  def clear(): Unit = {
    end = Front
    if (bytes.length > MaxKept) bytes = new Array[Byte](8 << 10)
  }

  /** The page, behind levels with their length. */
  def withLevels(levels: Array[Byte], n: Int): BytesInput = {
    val first = Front - n - 4
    if (first >= 0) {
      Platform.putInt(bytes, Batch.Base + first, n)
      System.arraycopy(levels, 0, bytes, first + 4, n)
      BytesInput.from(bytes, first, end - first)
    } else BytesInput.concat(BytesInput.fromInt(n), BytesInput.from(levels, 0, n), withoutLevels)
  }

  def withoutLevels: BytesInput = BytesInput.from(bytes, Front, size)
}

private object PageBuffer {
  // Levels of 20,000 rows, the default of a page, take less unless NULLs are scattered; longer ones are concatenated.
  private val Front = 4096
  private val MaxKept = 8 << 20
}
