// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import java.util.Arrays

import org.apache.spark.sql.execution.vectorized.{ConstantColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.Platform

/**
 * Rows in memory, column by column. Never changed once it is made.
 *
 * @param keys
 *   one of each row
 * @param data
 *   of each column the slots of its values, and of strings the bytes after them. A slot is a number of
 *   [[PlainTypes.width]] bytes; of strings a BIGINT: the way from the slot to the bytes, times 2^32, plus their number. There
 *   are eight bytes to spare at the end
 * @param nulls
 *   of each column a bit for each row, set where its value is NULL; null for a column without NULL
 */
private[sparkzorder] final class Columns private (
    val types: Array[DataType],
    val keys: Array[Long],
    val data: Array[Array[Byte]],
    private val nulls: Array[Array[Long]]) {
  import Columns.Base

  def rows: Int = keys.length

  /** Bytes of each slot of a column. */
  val widths: Array[Int] = types.map(t => if (PlainTypes.isText(t)) 8 else PlainTypes.width(t))

  def hasNulls(column: Int): Boolean = nulls(column) != null

  def isNull(row: Int, column: Int): Boolean = {
    val bits = nulls(column)
    bits != null && (bits(row >> 6) >>> (row & 63) & 1L) != 0L
  }

  private val texts = types.indices.filter(c => PlainTypes.isText(types(c))).toArray
  private val slotBytes = widths.iterator.map(_.toLong).sum

  /** A row has at most so many bytes. */
  lazy val largestRow: Long = slotBytes + texts.iterator.map(longest(_).toLong).sum

  private def longest(column: Int): Int = {
    var most = 0
    var row = 0
    while (row < rows) {
      most = math.max(most, length(row, column))
      row += 1
    }
    most
  }

  /** Bytes of a row. */
  def bytesOf(row: Int): Long = {
    var bytes = slotBytes
    var c = 0
    while (c < texts.length) {
      bytes += length(row, texts(c))
      c += 1
    }
    bytes
  }

  /** Compares two rows by a column of strings, as unsigned bytes; NULL is below all strings. */
  def compareTexts(column: Int, a: Int, b: Int): Int =
    if (isNull(a, column) || isNull(b, column)) java.lang.Boolean.compare(isNull(b, column), isNull(a, column))
    else {
      val bytes = data(column)
      val (inA, inB) = (Platform.getLong(bytes, Base + 8L * a), Platform.getLong(bytes, Base + 8L * b))
      val (fromA, fromB) = (8 * a + (inA >>> 32).toInt, 8 * b + (inB >>> 32).toInt)
      Arrays.compareUnsigned(bytes, fromA, fromA + inA.toInt, bytes, fromB, fromB + inB.toInt)
    }

  /** Bytes of a string. */
  private def length(row: Int, column: Int): Int =
    Platform.getLong(data(column), Base + 8L * row).toInt

  /** Bytes in memory. */
  def bytes: Long =
    8L * rows + data.iterator.map(_.length.toLong).sum + nulls.iterator.filter(_ != null).map(8L * _.length).sum
}

private[sparkzorder] object Columns {

  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong

  /**
   * The rows of all blocks, in the order of the blocks.
   *
   * @param blocks
   *   what [[BlockWriter]] wrote, without its header
   * @return
   *   None where a column is more than an array holds
   */
  def of(types: Array[DataType], blocks: IndexedSeq[Array[Byte]]): Option[Columns] =
    BlockReader.of(blocks).flatMap { reader =>
      val keys = reader.keys()
      val data = new Array[Array[Byte]](types.length)
      val nulls = new Array[Array[Long]](types.length)
      val fit = types.indices.forall { c =>
        nulls(c) = reader.nulls()
        val values =
          if (PlainTypes.isText(types(c))) reader.texts() else Some(reader.numbers(PlainTypes.width(types(c))))
        values.foreach(data(c) = _)
        values.isDefined
      }
      Option.when(fit)(new Columns(types, keys, data, nulls))
    }
}

/** Types whose values are a number of at most eight bytes, or a string of bytes. */
private[sparkzorder] object PlainTypes {

  def contain(dataType: DataType): Boolean = dataType match {
    case d: DecimalType => d.precision <= Decimal.MAX_LONG_DIGITS
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType | _: YearMonthIntervalType | _: DayTimeIntervalType => true
    case t => isText(t)
  }

  /** Whether values are strings of bytes. */
  def isText(dataType: DataType): Boolean = dataType match {
    case _: StringType | BinaryType => true
    case _ => false
  }

  /** Bytes of a value that is a number; a decimal is a long, as it is in Spark's rows. */
  def width(dataType: DataType): Int = dataType match {
    case BooleanType | ByteType => 1
    case ShortType => 2
    case IntegerType | DateType | FloatType | _: YearMonthIntervalType => 4
    case _ => 8
  }

  /** The unscaled value of a decimal, which is not NULL. Where Spark's own vectors keep it, others need not. */
  def unscaled(vector: ColumnVector, i: Int, decimal: DecimalType): Long = vector match {
    case _: WritableColumnVector | _: ConstantColumnVector =>
      if (decimal.precision <= Decimal.MAX_INT_DIGITS) vector.getInt(i).toLong else vector.getLong(i)
    case _ => vector.getDecimal(i, decimal.precision, decimal.scale).toUnscaledLong
  }
}
