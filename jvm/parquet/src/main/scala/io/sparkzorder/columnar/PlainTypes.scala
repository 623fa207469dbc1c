// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.execution.vectorized.{ConstantColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

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
