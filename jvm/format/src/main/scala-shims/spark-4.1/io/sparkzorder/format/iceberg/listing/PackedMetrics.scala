// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.listing

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.lang.{Long => JLong}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.io.WritableUtils
import org.apache.iceberg.{DataFile => TableFile, Metrics}
import org.apache.iceberg.util.ByteBuffers

/**
 * The metrics of a file's columns, without their sizes, in some tens of bytes for each. Iceberg's maps take hundreds, and a
 * table may have millions of columns of files.
 *
 * @param bytes
 *   of each column its id, a byte that says which of the metrics follow, and these: numbers, and bounds behind their lengths
 */
private[iceberg] final class PackedMetrics private (bytes: Array[Byte]) {
  import PackedMetrics._

  /** Those of the columns of which the ids are wanted. */
  def of(isWanted: Int => Boolean): Metrics = {
    val found = Seq.fill(Counts)(new JHashMap[Integer, JLong])
    val bounds = Seq.fill(Bounds)(new JHashMap[Integer, ByteBuffer])
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    while (in.available > 0) {
      val id = WritableUtils.readVInt(in)
      val there = in.readByte()
      for (i <- 0 until Counts if has(there, i)) {
        val count = WritableUtils.readVLong(in)
        if (isWanted(id)) found(i).put(id, count)
      }
      for (i <- 0 until Bounds if has(there, Counts + i)) {
        val length = WritableUtils.readVInt(in)
        if (isWanted(id)) bounds(i).put(id, ByteBuffer.wrap(in.readNBytes(length))) else in.skipBytes(length): Unit
      }
    }
    val Seq(values, nulls, nans) = found
    new Metrics(null, null, values, nulls, nans, bounds.head, bounds.last)
  }
}

private[iceberg] object PackedMetrics {

  private val Counts = 3
  private val Bounds = 2

  def of(file: TableFile): PackedMetrics = {
    val counts = Seq(file.valueCounts, file.nullValueCounts, file.nanValueCounts).map(known)
    val bounds = Seq(file.lowerBounds, file.upperBounds).map(known)
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    (counts ++ bounds).flatMap(_.keys).distinct.sortBy(_.intValue).foreach { id =>
      WritableUtils.writeVInt(out, id)
      out.writeByte((counts ++ bounds).zipWithIndex.collect { case (map, i) if map.contains(id) => 1 << i }.sum)
      counts.flatMap(_.get(id)).foreach(WritableUtils.writeVLong(out, _))
      bounds.flatMap(_.get(id)).foreach { bound =>
        val all = ByteBuffers.toByteArray(bound)
        WritableUtils.writeVInt(out, all.length)
        out.write(all)
      }
    }
    new PackedMetrics(bytes.toByteArray)
  }

  private def has(there: Byte, metric: Int): Boolean = (there & (1 << metric)) != 0

  private def known[T](of: JMap[Integer, T]): Map[Integer, T] =
    Option(of).fold(Map.empty[Integer, T])(_.asScala.filter(_._2 != null).toMap)
}
