// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.Platform

/**
 * Writes some rows of a column batch as a block: the values of one column after those of another, as the task that
 * sorts these rows wants them. [[Columns]] reads blocks.
 *
 * A block is the number of rows (INT), the key of each row (BIGINT), and then, column by column: a byte that says
 * whether there is a NULL; if so a bit for each row, set where its value is NULL; the values of fixed width, zero where
 * NULL; of strings their bytes in sum (INT), the length of each (INT), and the bytes.
 *
 * Not thread-safe.
 *
 * @param types
 *   of the columns; each one of [[PlainTypes]]
 * @param header
 *   bytes to leave free before the block
 */
private[sparkzorder] final class BlockWriter(types: Array[DataType], header: Int) {
  import BlockWriter._

  private var vectors = Array.empty[ColumnVector]
  private var texts = Array.empty[VectorText]
  // The rows of the block: `rows(from)` until `rows(until)` of the batch.
  private var rows = Array.emptyIntArray
  private var from = 0
  private var until = 0
  private var end = 0

  /** The header's bytes, for the caller to set, and after them the block, with at least eight bytes to spare. */
  var bytes: Array[Byte] = new Array[Byte](64 << 10)

  /** To be called for each batch, though it may be the same object with other rows. */
  def set(batch: ColumnarBatch): Unit = {
    vectors = Array.tabulate(types.length)(batch.column)
    texts = vectors.zip(types).map { case (v, t) => if (PlainTypes.isText(t)) VectorText.of(v) else null }
    if (bytes.length > 2 * MaxBytes) bytes = new Array[Byte](64 << 10)
  }

  /**
   * Writes the block of the rows `rows(from)` until `rows(until)` of the batch.
   *
   * @param keys
   *   one for each row of the batch
   * @return
   *   where the block ends in `bytes`; -1 where it would have more bytes than a block should, unless it is one row
   */
  def write(keys: Array[Long], rows: Array[Int], from: Int, until: Int): Int = {
    this.rows = rows
    this.from = from
    this.until = until
    end = header
    reserve(4 + 8L * n)
    Platform.putInt(bytes, Base + end, n)
    end += 4
    putEach(8, hasNulls = false, null)((i, at) => Platform.putLong(bytes, at, keys(i)))
    var c = 0
    while (c < types.length && fits) {
      writeColumn(c)
      c += 1
    }
    if (fits) end else -1
  }

  private def n: Int = until - from

  private def fits: Boolean = n == 1 || end - header <= MaxBytes

  private def writeColumn(c: Int): Unit = {
    // Of a column without strings all that there is to write.
    reserve(1L + (n + 7) / 8 + 4 + 8L * n)
    val vector = vectors(c)
    val hasNulls = writeNulls(vector)
    types(c) match {
      case BooleanType => putEach(1, hasNulls, vector)((i, at) => Platform.putBoolean(bytes, at, vector.getBoolean(i)))
      case ByteType => putEach(1, hasNulls, vector)((i, at) => Platform.putByte(bytes, at, vector.getByte(i)))
      case ShortType => putEach(2, hasNulls, vector)((i, at) => Platform.putShort(bytes, at, vector.getShort(i)))
      case FloatType => putEach(4, hasNulls, vector)((i, at) => Platform.putFloat(bytes, at, vector.getFloat(i)))
      case d: DecimalType =>
        putEach(8, hasNulls, vector)((i, at) => Platform.putLong(bytes, at, PlainTypes.unscaled(vector, i, d)))
      case DoubleType => putDoubles(vector, hasNulls)
      case IntegerType | DateType | _: YearMonthIntervalType => putInts(vector, hasNulls)
      case t if PlainTypes.isText(t) => putTexts(vector, texts(c), hasNulls)
      case _ => putLongs(vector, hasNulls)
    }
  }

  /** @return whether any of the rows has NULL */
  private def writeNulls(vector: ColumnVector): Boolean = {
    var k = from
    if (vector.hasNull) while (k < until && !vector.isNullAt(rows(k))) k += 1
    else k = until
    val hasNulls = k < until
    bytes(end) = if (hasNulls) 1 else 0
    end += 1
    if (hasNulls) {
      clear((n + 7) / 8)
      while (k < until) {
        if (vector.isNullAt(rows(k))) {
          val at = end + ((k - from) >> 3)
          bytes(at) = (bytes(at) | 1 << ((k - from) & 7)).toByte
        }
        k += 1
      }
      end += (n + 7) / 8
    }
    hasNulls
  }

  /** Calls `put` with each row of the block, unless it is NULL there, and the address of its value. */
  private def putEach(width: Int, hasNulls: Boolean, vector: ColumnVector)(put: (Int, Long) => Unit): Unit = {
    if (hasNulls) clear(width * n)
    var at = Base + end
    var k = from
    while (k < until) {
      val i = rows(k)
      if (!hasNulls || !vector.isNullAt(i)) put(i, at)
      at += width
      k += 1
    }
    end += width * n
  }

  // The types of most columns have a loop each: one for all would call a function for each value.

  private def putLongs(vector: ColumnVector, hasNulls: Boolean): Unit = {
    if (hasNulls) clear(8 * n)
    var k = from
    while (k < until) {
      val i = rows(k)
      if (!hasNulls || !vector.isNullAt(i)) Platform.putLong(bytes, Base + end, vector.getLong(i))
      end += 8
      k += 1
    }
  }

  private def putDoubles(vector: ColumnVector, hasNulls: Boolean): Unit = {
    if (hasNulls) clear(8 * n)
    var k = from
    while (k < until) {
      val i = rows(k)
      if (!hasNulls || !vector.isNullAt(i)) Platform.putDouble(bytes, Base + end, vector.getDouble(i))
      end += 8
      k += 1
    }
  }

  private def putInts(vector: ColumnVector, hasNulls: Boolean): Unit = {
    if (hasNulls) clear(4 * n)
    var k = from
    while (k < until) {
      val i = rows(k)
      if (!hasNulls || !vector.isNullAt(i)) Platform.putInt(bytes, Base + end, vector.getInt(i))
      end += 4
      k += 1
    }
  }

  private def putTexts(vector: ColumnVector, text: VectorText, hasNulls: Boolean): Unit = {
    val lengths = end + 4
    val first = lengths + 4 * n
    end = first
    var k = from
    while (k < until && fits) {
      val i = rows(k)
      var length = 0
      if (!hasNulls || !vector.isNullAt(i)) {
        text.find(i)
        length = text.length
        reserve(length.toLong)
        System.arraycopy(text.bytes, text.offset, bytes, end, length)
        end += length
      }
      Platform.putInt(bytes, Base + lengths + 4L * (k - from), length)
      k += 1
    }
    Platform.putInt(bytes, Base + lengths - 4, end - first)
  }

  private def clear(n: Int): Unit = Arrays.fill(bytes, end, end + n, 0.toByte)

  /** @throws IllegalArgumentException for more than an array can hold: a row that Spark could not hold, either */
  private def reserve(more: Long): Unit = bytes = ByteArrays.grown(bytes, end + more + Spare)
}

private[sparkzorder] object BlockWriter {

  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong

  // Blocks are copied as a whole, and so are the arrays that they grow into.
  private val MaxBytes = 8 << 20

  private val Spare = 8L
}
