// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder.bytes

import org.apache.spark.unsafe.Platform

/** Rows to encode, in their order. */
private[encoder] abstract class Batch {

  /** Number of rows. */
  def rows: Int

  /** The bytes in which a column's values are, with eight to spare behind the last one. */
  def bytes(field: Int): Array[Byte]

  /** Where each row begins in a column's bytes; valid until the next call. */
  def offsets(field: Int): Array[Int]

  /** Bytes from the beginning of a row to its value in a column. */
  def offsetOf(field: Int): Int

  /** Whether one of these rows has NULL in a column. */
  def hasNulls(field: Int): Boolean

  def isNull(row: Int, field: Int): Boolean
}

private[encoder] object Batch {

  /** Of the bytes of an array, for Platform. */
  val Base: Long = Platform.BYTE_ARRAY_OFFSET.toLong

  /** With more, columns would be read from the memory in place of the cache. */
  val MaxRows: Int = 1024
  val MaxBytes: Int = 1 << 20
}
