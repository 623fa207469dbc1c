// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.values

import java.util.Arrays

import io.sparkzorder.columnar.ByteArrays

import org.apache.parquet.bytes.BytesInput
import org.apache.spark.unsafe.Platform

/**
 * Ids of byte strings, from 0 in the order of their first appearance: an open-addressing map whose values lie one after
 * the other, each after its length, as the dictionary page has them.
 */
private[encoder] final class BytesDictionary {
  import Batch.Base

  // Upper half: of the hash. Lower half: id + 1, or 0.
  private var table = new Array[Long](0)
  private var starts = new Array[Int](0)
  // The last page on which a value was seen.
  private var pages = new Array[Int](0)
  private var page = 1
  private var values = new Array[Byte](0)
  private var used = 0

  var size: Int = 0

  /** Bytes of the dictionary page. */
  def plainBytes: Long = used.toLong

  // Of the values that are looked up: the hash, then what stands in its slot, and where that value begins.
  private val hashes = new Array[Long](Batch.MaxRows)
  private val entries = new Array[Long](Batch.MaxRows)
  private val found = new Array[Int](Batch.MaxRows)

  /**
   * Puts the ids of some values to `ids`, from `first` on.
   *
   * It takes one step for all values and then the next: a step is a read from the memory that does not wait for that of the
   * value before, where one value after the other would wait for each of its reads.
   *
   * @param prefixes
   *   of the values, as [[ByteStrings.prefix]] gives them
   */
  def lookUp(
      bytes: Array[Byte],
      at: Array[Int],
      lengths: Array[Int],
      prefixes: Array[Long],
      n: Int,
      ids: Array[Int],
      first: Int): Unit = {
    if (table.length == 0) allocate()
    var i = 0
    while (i < n) {
      hashes(i) = ByteStrings.hash(bytes, at(i), lengths(i), prefixes(i))
      i += 1
    }
    val mask = table.length - 1
    i = 0
    while (i < n) {
      entries(i) = table((hashes(i) >>> 8).toInt & mask)
      i += 1
    }
    i = 0
    while (i < n) {
      val entry = entries(i)
      found(i) = if (entry != 0L && (entry ^ hashes(i)) >>> 32 == 0L) starts(entry.toInt - 1) else -1
      i += 1
    }
    i = 0
    while (i < n) {
      // Values that are new, or not in the slot of their hash, wait for their turn.
      ids(first + i) =
        if (found(i) >= 0 && isSame(bytes, at(i), lengths(i), found(i))) entries(i).toInt - 1 else -1
      i += 1
    }
    i = 0
    while (i < n) {
      if (ids(first + i) < 0) ids(first + i) = idOf(bytes, at(i), lengths(i), hashes(i))
      i += 1
    }
  }

  private def idOf(bytes: Array[Byte], at: Int, length: Int, hash: Long): Int = {
    val mask = table.length - 1
    var slot = (hash >>> 8).toInt & mask
    var entry = table(slot)
    while (entry != 0L && !((entry ^ hash) >>> 32 == 0L && isSame(bytes, at, length, starts(entry.toInt - 1)))) {
      slot = (slot + 1) & mask
      entry = table(slot)
    }
    if (entry != 0L) entry.toInt - 1 else add(bytes, at, length, hash, slot)
  }

  /** @param own where the value of the dictionary begins */
  private def isSame(bytes: Array[Byte], at: Int, length: Int, own: Int): Boolean =
    Platform.getInt(values, Base + own - 4) == length && {
      var k = 0
      while (k + 8 <= length && Platform.getLong(bytes, Base + at + k) == Platform.getLong(values, Base + own + k))
        k += 8
      k >= length || k + 8 > length &&
      ByteStrings.prefix(bytes, at + k, length - k) == ByteStrings.prefix(values, own + k, length - k)
    }

  private def add(bytes: Array[Byte], at: Int, length: Int, hash: Long, slot: Int): Int = {
    val id = size
    size += 1
    table(slot) = hash >>> 32 << 32 | size
    values = ByteArrays.grown(values, used.toLong + length + 24)
    Platform.putInt(values, Base + used, length)
    System.arraycopy(bytes, at, values, used + 4, length)
    starts(id) = used + 4
    used += 4 + length
    if (size == starts.length) grow()
    id
  }

  private def allocate(): Unit = {
    starts = new Array[Int](BytesDictionary.First)
    pages = new Array[Int](BytesDictionary.First)
    table = new Array[Long](2 * BytesDictionary.First)
    values = new Array[Byte](4 << 10)
  }

  private def grow(): Unit = {
    starts = Arrays.copyOf(starts, 2 * starts.length)
    pages = Arrays.copyOf(pages, starts.length)
    table = new Array[Long](2 * starts.length)
    val mask = table.length - 1
    var id = 0
    while (id < size) {
      val length = Platform.getInt(values, Base + starts(id) - 4)
      val hash = ByteStrings.hash(values, starts(id), length, ByteStrings.prefix(values, starts(id), length))
      var slot = (hash >>> 8).toInt & mask
      while (table(slot) != 0L) slot = (slot + 1) & mask
      id += 1
      table(slot) = hash >>> 32 << 32 | id
    }
  }

  /** Whether a value was not seen on this page yet: the page's range has to look at each value but once. */
  def markSeenOnPage(id: Int): Boolean = {
    val isNew = pages(id) != page
    pages(id) = page
    isNew
  }

  def beginPage(): Unit = page += 1

  /** Copies a value after its length, and returns the position after it. */
  def copyPlain(id: Int, out: Array[Byte], at: Int): Int = {
    val length = Platform.getInt(values, Base + starts(id) - 4) + 4
    System.arraycopy(values, starts(id) - 4, out, at, length)
    at + length
  }

  def plain(bytes: Int): BytesInput = BytesInput.from(values, 0, bytes)

  def heldBytes: Long = values.length + 8L * table.length + 4L * (starts.length + pages.length)

  /** What `plain` returned stays as it is. */
  def clear(): Unit = {
    table = new Array[Long](0)
    starts = new Array[Int](0)
    pages = new Array[Int](0)
    values = new Array[Byte](0)
    used = 0
    size = 0
  }
}

private object BytesDictionary {
  private val First = 1 << 8
}
