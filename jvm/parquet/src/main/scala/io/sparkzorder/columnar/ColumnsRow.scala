// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGettersReader
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types.{DataType, Decimal}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String, VariantVal}

/**
 * A row of columns in memory, for readers that want rows; the encoder takes the columns themselves.
 *
 * @param index
 *   the number of the row, to be set at will
 */
private[sparkzorder] final class ColumnsRow(val columns: Columns, var index: Int) extends RowWithViews {
  import ColumnsRow._

  override def numFields: Int = columns.types.length

  override def isNullAt(column: Int): Boolean = columns.isNull(index, column)

  private def slot(column: Int): Long = Base + columns.widths(column).toLong * index

  override def getBoolean(column: Int): Boolean = Platform.getBoolean(columns.data(column), slot(column))
  override def getByte(column: Int): Byte = Platform.getByte(columns.data(column), slot(column))
  override def getShort(column: Int): Short = Platform.getShort(columns.data(column), slot(column))
  override def getInt(column: Int): Int = Platform.getInt(columns.data(column), slot(column))
  override def getLong(column: Int): Long = Platform.getLong(columns.data(column), slot(column))
  override def getFloat(column: Int): Float = Platform.getFloat(columns.data(column), slot(column))
  override def getDouble(column: Int): Double = Platform.getDouble(columns.data(column), slot(column))

  override def getDecimal(column: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(column)) null else Decimal.createUnsafe(getLong(column), precision, scale)

  override def getUTF8String(column: Int): UTF8String =
    if (isNullAt(column)) null
    else {
      val value = getLong(column)
      UTF8String.fromAddress(columns.data(column), slot(column) + (value >>> 32), value.toInt)
    }

  override def getBinary(column: Int): Array[Byte] =
    if (isNullAt(column)) null
    else {
      val value = getLong(column)
      val from = columns.widths(column) * index + (value >>> 32).toInt
      Arrays.copyOfRange(columns.data(column), from, from + value.toInt)
    }

  override protected def bytesIn(column: Int): Array[Byte] = columns.data(column)
  override protected def bytesFrom(column: Int): Long = slot(column) + (getLong(column) >>> 32)
  override protected def bytesSize(column: Int): Int = getLong(column).toInt

  override def get(column: Int, dataType: DataType): AnyRef =
    SpecializedGettersReader.read(this, column, dataType, true, false)

  /** The columns never change. */
  override def copy(): InternalRow = new ColumnsRow(columns, index)

  override def getInterval(column: Int): CalendarInterval = unsupported
  override def getVariant(column: Int): VariantVal = unsupported
  override def getStruct(column: Int, numFields: Int): InternalRow = unsupported
  override def getArray(column: Int): ArrayData = unsupported
  override def getMap(column: Int): MapData = unsupported
  override def setNullAt(column: Int): Unit = unsupported
  override def update(column: Int, value: Any): Unit = unsupported
}

/** A row whose values of bytes lie in arrays. What Sparks ask of a row differs: see [[RowWithViews]]. */
private[columnar] abstract class RowOfBytes extends InternalRow {

  /** The array that the bytes of a value are in, the address of the first, and their number. */
  protected def bytesIn(column: Int): Array[Byte]
  protected def bytesFrom(column: Int): Long
  protected def bytesSize(column: Int): Int

  protected def unsupported: Nothing = throw new UnsupportedOperationException("Of plain types only, to be read only")
}

private object ColumnsRow {
  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong
}
