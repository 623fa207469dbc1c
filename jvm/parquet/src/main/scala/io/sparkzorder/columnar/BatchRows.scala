// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.Platform

/**
 * The rows of column batches, written column by column, with room for numbers behind the columns. Their bytes are those
 * of Spark's own projection.
 *
 * Spark makes a `UTF8String` of each string on the way, whose constructor has four volatile writes: four memory fences,
 * half of the time of a scan with three columns of strings. Here the bytes go from the vector's array into the row.
 *
 * @param types
 *   of the columns; each one of [[PlainTypes]]
 * @param trailing
 *   number of fixed-width fields behind them, zeros for the caller to set
 */
private[sparkzorder] final class BatchRows(types: Array[DataType], trailing: Int) {
  import BatchRows._

  private val fields = types.length + trailing
  private val bitset = UnsafeRow.calculateBitSetWidthInBytes(fields)
  private val fixed = bitset + 8 * fields
  private val row = new UnsafeRow(fields)

  private var vectors = Array.empty[ColumnVector]
  private var rows = 0
  // Of each row of the batch, in bytes.
  private var sizes = Array.emptyLongArray

  // Rows `first` until `until` of the batch, where each begins, and where its next string goes.
  private var bytes = Array.emptyByteArray
  private var first = 0
  private var until = 0
  private var starts = Array.emptyIntArray
  private var ends = Array.emptyIntArray

  /** To be called for each batch, though it may be the same object with other rows. */
  def set(batch: ColumnarBatch): Unit = {
    rows = batch.numRows
    vectors = Array.tabulate(types.length)(batch.column)
    if (sizes.length < rows) {
      sizes = new Array[Long](rows)
      starts = new Array[Int](rows)
      ends = new Array[Int](rows)
    }
    Arrays.fill(sizes, 0, rows, fixed.toLong)
    var c = 0
    while (c < types.length) {
      if (PlainTypes.isText(types(c))) addSizes(vectors(c))
      c += 1
    }
    first = 0
    until = 0
  }

  /** Row `i` of the batch, by ascending `i`: the same object each time, which is valid until the next call. */
  def apply(i: Int): UnsafeRow = {
    if (i >= until) writeFrom(i)
    val start = starts(i - first)
    row.pointTo(bytes, Base + start, ends(i - first) - start)
    row
  }

  private def addSizes(vector: ColumnVector): Unit = {
    val text = VectorText.of(vector)
    var i = 0
    while (i < rows) {
      if (!vector.isNullAt(i)) {
        text.find(i)
        sizes(i) += padded(text.length)
      }
      i += 1
    }
  }

  /** Writes rows from `i` on, at least one: as many as are read again before they leave the processor's cache. */
  private def writeFrom(i: Int): Unit = {
    first = i
    until = i
    var used = 0L
    while (until < rows && (until == first || used + sizes(until) <= CachedBytes)) {
      starts(until - first) = used.toInt
      ends(until - first) = used.toInt + fixed
      used += sizes(until)
      until += 1
    }
    // A row of more bytes than an array has is an error, as it is in Spark's projection.
    val needed = Math.toIntExact(used)
    if (bytes.length < needed || bytes.length > math.max(needed, CachedBytes))
      bytes = new Array[Byte](math.max(needed, CachedBytes))
    else Arrays.fill(bytes, 0, needed, 0.toByte)
    var c = 0
    while (c < types.length) {
      write(vectors(c), c)
      c += 1
    }
  }

  private def write(vector: ColumnVector, c: Int): Unit = types(c) match {
    case BooleanType => each(vector, c)((i, at) => Platform.putBoolean(bytes, at, vector.getBoolean(i)))
    case ByteType => each(vector, c)((i, at) => Platform.putByte(bytes, at, vector.getByte(i)))
    case ShortType => each(vector, c)((i, at) => Platform.putShort(bytes, at, vector.getShort(i)))
    case FloatType => each(vector, c)((i, at) => Platform.putFloat(bytes, at, vector.getFloat(i)))
    case DoubleType => doubles(vector, c)
    case IntegerType | DateType | _: YearMonthIntervalType => ints(vector, c)
    case d: DecimalType => each(vector, c)((i, at) => Platform.putLong(bytes, at, PlainTypes.unscaled(vector, i, d)))
    case t if PlainTypes.isText(t) => texts(vector, c)
    case _ => longs(vector, c)
  }

  /** Calls `put` with each row that is written and the address of its field, unless it is NULL there. */
  private def each(vector: ColumnVector, c: Int)(put: (Int, Long) => Unit): Unit = {
    var i = first
    while (i < until) {
      if (vector.isNullAt(i)) setNull(i, c) else put(i, field(i, c))
      i += 1
    }
  }

  // The types of most columns have a loop each: one for all would call a function for each value.

  private def longs(vector: ColumnVector, c: Int): Unit = {
    var i = first
    while (i < until) {
      if (vector.isNullAt(i)) setNull(i, c) else Platform.putLong(bytes, field(i, c), vector.getLong(i))
      i += 1
    }
  }

  private def ints(vector: ColumnVector, c: Int): Unit = {
    var i = first
    while (i < until) {
      if (vector.isNullAt(i)) setNull(i, c) else Platform.putInt(bytes, field(i, c), vector.getInt(i))
      i += 1
    }
  }

  private def doubles(vector: ColumnVector, c: Int): Unit = {
    var i = first
    while (i < until) {
      if (vector.isNullAt(i)) setNull(i, c) else Platform.putDouble(bytes, field(i, c), vector.getDouble(i))
      i += 1
    }
  }

  private def texts(vector: ColumnVector, c: Int): Unit = {
    val text = VectorText.of(vector)
    var i = first
    while (i < until) {
      if (vector.isNullAt(i)) setNull(i, c) else put(text, i, field(i, c))
      i += 1
    }
  }

  private def field(i: Int, c: Int): Long = Base + starts(i - first) + bitset + 8L * c

  private def setNull(i: Int, c: Int): Unit = {
    val word = Base + starts(i - first) + 8L * (c >> 6)
    Platform.putLong(bytes, word, Platform.getLong(bytes, word) | 1L << (c & 63))
  }

  private def put(text: VectorText, i: Int, field: Long): Unit = {
    text.find(i)
    val end = ends(i - first)
    System.arraycopy(text.bytes, text.offset, bytes, end, text.length)
    Platform.putLong(bytes, field, (end - starts(i - first)).toLong << 32 | text.length)
    ends(i - first) = end + padded(text.length)
  }
}

private[sparkzorder] object BatchRows {

  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong

  private val CachedBytes = 256 << 10

  private def padded(length: Int): Int = (length + 7) & ~7
}
