// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import scala.annotation.nowarn

import io.sparkzorder.columnar.ByteArrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage
import org.apache.parquet.column.statistics.Statistics
import org.apache.spark.unsafe.Platform

/** Encodes the values of one column, page by page; NULLs are not its concern. */
private[encoder] abstract class ValuesEncoder {

  /** Values of the page. */
  protected var count: Int = 0

  /** The encoded page, once `finishPage` was called. */
  val page: PageBuffer = new PageBuffer

  /**
   * Adds the values of some rows of a batch: numbers, or of byte strings the way from a row's beginning to the bytes, times
   * 2^32, plus their number, as in Spark's rows.
   *
   * @param bytes
   *   the bytes of the batch
   * @param offsets
   *   where each row begins; the first `n` count
   * @param field
   *   bytes from the beginning of a row to the value
   */
  def add(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit

  /** Bytes of the page's values as parquet-java counts them to end pages: of the values themselves, not of the encoded ones. */
  def plainBytes: Long

  /** Sum of the lengths of byte arrays, for the size statistics; 0 for other types. */
  def unencodedBytes: Long = 0L

  /** Encodes what is left of the page, and returns the encoding. */
  def finishPage(): Encoding

  /** Adds the page's values to statistics, by their minimum and maximum. */
  def addTo(statistics: Statistics[_]): Unit

  /** Begins the next page. */
  def clearPage(): Unit = {
    count = 0
    page.clear()
  }

  def isEmpty: Boolean = count == 0

  /** Ends the column chunk, and returns its dictionary, if pages need one. */
  def endChunk(): Option[DictionaryPage] = None

  /** Bytes of memory that are held. */
  def heldBytes: Long = page.bytes.length.toLong
}

/** The names that parquet-java's writer gives to encodings in files of version 1, deprecated ones among them. */
@nowarn("cat=deprecation")
private[encoder] object Encodings {

  /** Of pages of ids, and of their dictionary. */
  val Dictionary: Encoding = Encoding.PLAIN_DICTIONARY

  /** Of levels that are the same for each value and not written. */
  val NoLevels: Encoding = Encoding.BIT_PACKED
}

/** The bytes of a page, with room in front of them: levels are known last and come first. */
private[encoder] final class PageBuffer {
  import PageBuffer._

  var bytes: Array[Byte] = new Array[Byte](8 << 10)

  /** The position after the last byte. */
  var end: Int = Front

  def size: Int = end - Front

  /** Makes room for more bytes, and for eight to spare. */
  def reserve(more: Long): Unit = bytes = ByteArrays.grown(bytes, end + more + 16)

  def clear(): Unit = {
    end = Front
    if (bytes.length > MaxKept) bytes = new Array[Byte](8 << 10)
  }

  /** The page, after levels with their length. */
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
