// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.Encoding
import org.apache.parquet.column.page.DictionaryPage

/**
 * Encodes values by a dictionary for as long as that is worth it, as parquet-java's `FallbackValuesWriter` decides it: a
 * column chunk falls back to plain values when the dictionary gets too large, or when the first page with its dictionary
 * is not smaller than the plain values. Pages before stay as they are.
 *
 * @param isDictionaryEnabled
 *   whether there may be a dictionary at all
 * @param maxDictionaryBytes
 *   bytes of the dictionary's plain values above which it is too large
 */
private[encoder] abstract class DictionaryEncoder(isDictionaryEnabled: Boolean, maxDictionaryBytes: Int)
    extends ValuesEncoder {

  /** Ids of the page's values, in their order. */
  protected var ids: Array[Int] = new Array[Int](Batch.MaxRows + 16)

  private var isDictionary = isDictionaryEnabled
  private var isFirstPage = true
  // The dictionary at the end of the last page that used it: values of a page that falls back are not in the file's.
  private var (usedValues, usedBytes) = (0, 0)

  /** Takes values out of rows, and notes minimum and maximum. */
  protected def read(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit

  /** Puts the ids of the values that were just read to `ids`, after the `count` that are there. */
  protected def lookUp(bytes: Array[Byte], n: Int): Unit

  /** Puts the values that were just read to the page. */
  protected def putPlain(bytes: Array[Byte], n: Int): Unit

  /** Puts the values of the page, by their ids, to the page. */
  protected def putPlainOfIds(): Unit

  protected def dictionaryValues: Int
  protected def dictionaryBytes: Long

  /** The first bytes of the dictionary's plain values. */
  protected def dictionaryPlain(bytes: Int): BytesInput

  protected def dropDictionary(): Unit

  override def heldBytes: Long = super.heldBytes + 4L * ids.length

  override final def add(bytes: Array[Byte], offsets: Array[Int], field: Int, n: Int): Unit = {
    read(bytes, offsets, field, n)
    if (isDictionary) {
      if (count + n + 16 > ids.length) ids = Arrays.copyOf(ids, math.max(count + n + 16, 2 * ids.length))
      lookUp(bytes, n)
    } else putPlain(bytes, n)
    count += n
    if (isDictionary && dictionaryBytes > maxDictionaryBytes) fallBack()
  }

  private def fallBack(): Unit = {
    page.clear()
    putPlainOfIds()
    isDictionary = false
    if (usedValues == 0) dropDictionary()
  }

  override final def finishPage(): Encoding = {
    if (isDictionary) {
      putIds()
      if (isFirstPage && page.size + dictionaryBytes >= plainBytes) fallBack()
      else {
        usedValues = dictionaryValues
        usedBytes = dictionaryBytes.toInt
      }
    }
    if (isDictionary) Encodings.Dictionary else Encoding.PLAIN
  }

  private def putIds(): Unit = {
    val width = 32 - Integer.numberOfLeadingZeros(dictionaryValues - 1)
    page.reserve(RunLengths.maxBytes(count, width) + 1L)
    page.bytes(page.end) = width.toByte
    page.end = RunLengths.encode(ids, count, width, page.bytes, page.end + 1)
  }

  override def clearPage(): Unit = {
    super.clearPage()
    isFirstPage = false
  }

  override final def endChunk(): Option[DictionaryPage] = {
    val dictionary =
      if (usedValues == 0) None
      else Some(new DictionaryPage(dictionaryPlain(usedBytes), usedValues, Encodings.Dictionary))
    dropDictionary()
    isDictionary = isDictionaryEnabled
    isFirstPage = true
    usedValues = 0
    usedBytes = 0
    dictionary
  }
}
