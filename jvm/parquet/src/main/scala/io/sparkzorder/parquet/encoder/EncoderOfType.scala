// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import io.sparkzorder.parquet.encoder.values.{
  BooleanEncoder,
  BytesEncoder,
  DecimalEncoder,
  NumberEncoder,
  ValuesEncoder
}

import org.apache.parquet.column.{ColumnDescriptor, ParquetProperties}
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeUnit, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._

/**
 * Which columns are encoded here, and how. The type of a row's field and that of the file's column decide together: the
 * same timestamp is written in three ways.
 */
private[encoder] final class EncoderOfType(properties: ParquetProperties, isOfOneCalendar: Boolean) {

  /** @return None for a column that parquet-java's own writers write */
  def of(dataType: DataType, column: ColumnDescriptor): Option[ValuesEncoder] = {
    val maxDictionaryBytes = properties.getDictionaryPageSizeThreshold
    val byDictionary = properties.isDictionaryEnabled(column)
    def ints(width: Int) = Some(new NumberEncoder(width, 4, isFloating = false, byDictionary, maxDictionaryBytes))
    def longs = Some(new NumberEncoder(8, 8, isFloating = false, byDictionary, maxDictionaryBytes))
    def floating(width: Int) =
      Some(new NumberEncoder(width, width, isFloating = true, byDictionary, maxDictionaryBytes))
    (dataType, column.getPrimitiveType.getPrimitiveTypeName) match {
      case (BooleanType, BOOLEAN) => Some(new BooleanEncoder)
      case (ByteType, INT32) => ints(1)
      case (ShortType, INT32) => ints(2)
      case (IntegerType | _: YearMonthIntervalType, INT32) => ints(4)
      case (DateType, INT32) if isOfOneCalendar => ints(4)
      case (FloatType, FLOAT) => floating(4)
      case (_: DecimalType, INT32) => ints(8)
      case (LongType | TimestampNTZType | _: DayTimeIntervalType, INT64) => longs
      case (TimestampType, INT64) if isOfOneCalendar && isMicros(column) => longs
      case (d: DecimalType, INT64) if d.precision <= Decimal.MAX_LONG_DIGITS => longs
      case (DoubleType, DOUBLE) => floating(8)
      case (_: StringType | BinaryType, BINARY) => Some(new BytesEncoder(byDictionary, maxDictionaryBytes))
      case (d: DecimalType, FIXED_LEN_BYTE_ARRAY) if d.precision > Decimal.MAX_LONG_DIGITS =>
        Some(new DecimalEncoder(column.getPrimitiveType.getTypeLength))
      case _ => None
    }
  }

  private def isMicros(column: ColumnDescriptor): Boolean = column.getPrimitiveType.getLogicalTypeAnnotation match {
    case timestamp: TimestampLogicalTypeAnnotation => timestamp.getUnit == TimeUnit.MICROS
    case _ => false
  }
}
