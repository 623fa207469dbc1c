// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/**
 * Byte strings: BINARY.
 */
private[encoder] final class BytesEncoder(isDictionaryEnabled: Boolean, maxDictionaryBytes: Int)
    extends DictionaryEncoder(isDictionaryEnabled, maxDictionaryBytes) {
  import Batch.Base

  // Of the values that were just read.
  private val starts = new Array[Int](Batch.MaxRows)
  private val lengths = new Array[Int](Batch.MaxRows)
  private val prefixes = new Array[Long](Batch.MaxRows)
  private var raw = 0L
  private var justRead = 0L

  private val range = new BytesRange
  private val dictionary = new BytesDictionary

  override protected def read(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    val at = Base + field
    var sum = 4L * n
    var i = 0
    while (i < n) {
      val value = Platform.getLong(bytes, at + offsets(i))
      starts(i) = offsets(i) + (value >>> 32).toInt
      lengths(i) = value.toInt
      sum += value.toInt
      i += 1
    }
    justRead = sum
    raw += sum
  }

  override protected def putPlain(bytes: Array[Byte], n: Int): Unit = {
    page.reserve(justRead)
    val out = page.bytes
    var end = page.end
    var i = 0
    while (i < n) {
      val at = starts(i)
      val length = lengths(i)
      range.add(bytes, at, length, ByteStrings.prefix(bytes, at, length))
      Platform.putInt(out, Base + end, length)
      ByteStrings.copy(bytes, at, length, out, end + 4)
      end += 4 + length
      i += 1
    }
    page.end = end
  }

  override protected def lookUp(bytes: Array[Byte], n: Int): Unit = {
    var i = 0
    while (i < n) {
      prefixes(i) = ByteStrings.prefix(bytes, starts(i), lengths(i))
      i += 1
    }
    dictionary.lookUp(bytes, starts, lengths, prefixes, n, ids, count)
    i = 0
    while (i < n) {
      if (dictionary.markSeenOnPage(ids(count + i))) range.add(bytes, starts(i), lengths(i), prefixes(i))
      i += 1
    }
  }

  override protected def putPlainOfIds(): Unit = {
    page.reserve(raw)
    var i = 0
    while (i < count) {
      page.end = dictionary.copyPlain(ids(i), page.bytes, page.end)
      i += 1
    }
  }

  override def plainBytes: Long = raw
  override def unencodedBytes: Long = raw - 4L * count
  override protected def dictionaryValues: Int = dictionary.size
  override protected def dictionaryBytes: Long = dictionary.plainBytes
  override protected def dictionaryPlain(bytes: Int): BytesInput = dictionary.plain(bytes)
  override protected def dropDictionary(): Unit = dictionary.clear()
  override def heldBytes: Long = super.heldBytes + dictionary.heldBytes

  override def addTo(statistics: Statistics[_]): Unit = range.addTo(statistics)

  override def clearPage(): Unit = {
    super.clearPage()
    raw = 0L
    range.clear()
    dictionary.beginPage()
  }
}
