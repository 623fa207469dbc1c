// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.column.Encoding
import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/**
 * Truth values, eight in a byte. Files of version 1 have no dictionaries of them.
 */
private[encoder] final class BooleanEncoder extends ValuesEncoder {
  import Batch.Base

  private var trues = 0

  override def add(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    page.reserve((count + n) / 8 + 2L)
    val at = Base + field
    val out = page.bytes
    val first = page.end
    var i = 0
    while (i < n) {
      val value = count + i
      val byte = first + (value >> 3)
      if ((value & 7) == 0) out(byte) = 0
      if (Platform.getByte(bytes, at + offsets(i)) != 0) {
        out(byte) = (out(byte) | 1 << (value & 7)).toByte
        trues += 1
      }
      i += 1
    }
    count += n
  }

  override def plainBytes: Long = (count + 7L) / 8

  override def finishPage(): Encoding = {
    page.end += (count + 7) / 8
    Encoding.PLAIN
  }

  override def addTo(statistics: Statistics[_]): Unit = {
    if (trues < count) statistics.updateStats(false)
    if (trues > 0) statistics.updateStats(true)
  }

  override def clearPage(): Unit = {
    super.clearPage()
    trues = 0
  }
}
