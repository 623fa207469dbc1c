// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.io.ByteArrayOutputStream
import java.lang.{Long => JLong}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap, Map => JMap}

import org.apache.iceberg.{DataFile => TableFile, Metrics}
import org.apache.iceberg.util.ByteBuffers

/**
 * The metrics of a file's columns, without their sizes, in some tens of bytes for each. Iceberg's maps take hundreds, and a
 * table may have millions of columns of files.
 *
 * @param bytes
 *   of each kind of metrics how many columns have them, and of each such column its id and a number, or a bound after
 *   its length
 */
private[iceberg] final class PackedMetrics private (bytes: Array[Byte]) {
  import PackedMetrics._

  /** Those of the columns of which the ids are wanted. */
  def of(isWanted: Int => Boolean): Metrics = {
    val in = ByteBuffer.wrap(bytes)
    def counts() = unpacked[JLong](in, isWanted)(number(_))
    def bounds() = unpacked(in, isWanted)(in => bytesOf(in, number(in).toInt))
    // In the order in which they were packed.
    new Metrics(null, null, counts(), counts(), counts(), bounds(), bounds())
  }
}

private[iceberg] object PackedMetrics {

  def of(file: TableFile): PackedMetrics = {
    val out = new ByteArrayOutputStream
    for (counts <- Seq(file.valueCounts, file.nullValueCounts, file.nanValueCounts))
      pack(out, counts)(count => put(out, count))
    for (bounds <- Seq(file.lowerBounds, file.upperBounds))
      pack(out, bounds) { bound =>
        val bytes = ByteBuffers.toByteArray(bound)
        put(out, bytes.length.toLong)
        out.write(bytes)
      }
    new PackedMetrics(out.toByteArray)
  }

  private def pack[T](out: ByteArrayOutputStream, metrics: JMap[Integer, T])(write: T => Unit): Unit =
    if (metrics == null) put(out, 0L)
    else {
      put(out, metrics.size.toLong)
      metrics.forEach { (id, metric) =>
        put(out, id.longValue)
        write(metric)
      }
    }

  private def unpacked[T](in: ByteBuffer, isWanted: Int => Boolean)(read: ByteBuffer => T): JMap[Integer, T] = {
    val found = new JHashMap[Integer, T]
    var left = number(in)
    while (left > 0) {
      val id = number(in).toInt
      val metric = read(in)
      if (isWanted(id)) found.put(id, metric)
      left -= 1
    }
    found
  }

  /** Not copied: most are not wanted. */
  private def bytesOf(in: ByteBuffer, length: Int): ByteBuffer = {
    val bytes = in.slice(in.position, length)
    in.position(in.position + length)
    bytes
  }

  // As LEB128 has them: seven bits a byte, the lowest first, of two's complement.
  private def put(out: ByteArrayOutputStream, number: Long): Unit = {
    var rest = number
    while ((rest & ~0x7fL) != 0) {
      out.write((rest.toInt & 0x7f) | 0x80)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }

  private def number(in: ByteBuffer): Long = {
    var (found, shift) = (0L, 0)
    var next = in.get()
    while (next < 0) {
      found |= (next & 0x7fL) << shift
      shift += 7
      next = in.get()
    }
    found | (next.toLong << shift)
  }
}
