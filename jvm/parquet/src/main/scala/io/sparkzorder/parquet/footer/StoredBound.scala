// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.math.{BigDecimal, BigInteger}

import scala.util.Try

import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * A bound in a Parquet footer as a value of the type that a table has for the column.
 *
 * Only where the file's own type says that the two mean the same, or that the value fits a wider one as Spark's reader
 * widens it. All else is not known: INT96, unsigned numbers, times of another kind, decimals that would be rounded.
 */
private[sparkzorder] object StoredBound {

  /** The types of which bounds can be known, in an order that Spark shares. */
  def isSupported(dataType: DataType): Boolean = dataType match {
    case BooleanType | _: NumericType | BinaryType | DateType | TimestampType | TimestampNTZType |
        _: YearMonthIntervalType | _: DayTimeIntervalType =>
      true
    case s: StringType => s == StringType
    case _ => false
  }

  /** @return null where it is not known */
  def converted(value: Any, stored: PrimitiveType, dataType: DataType): Any = {
    val meaning = stored.getLogicalTypeAnnotation
    dataType match {
      case d: DecimalType => decimal(value, meaning, d)
      case BooleanType => value match {
          case b: java.lang.Boolean => b
          case _ => null
        }
      case FloatType | DoubleType => floating(value, meaning, dataType)
      case TimestampType | TimestampNTZType => micros(value, meaning, dataType == TimestampType)
      case _: StringType if isText(meaning) => bytes(value, stored).map(UTF8String.fromBytes).orNull
      case BinaryType if isText(meaning) => bytes(value, stored).orNull
      case _ => whole(value, stored, dataType)
    }
  }

  private def whole(value: Any, stored: PrimitiveType, dataType: DataType): Any = {
    val meaning = stored.getLogicalTypeAnnotation
    val isNumber = isSigned(meaning)
    (dataType, value) match {
      case (ByteType, i: Int) if isNumber && i.isValidByte => i.toByte
      case (ShortType, i: Int) if isNumber && i.isValidShort => i.toShort
      case (IntegerType, i: Int) if isNumber => i
      case (LongType, i: Int) if isNumber => i.toLong
      case (LongType, l: Long) if isNumber => l
      case (DateType, i: Int) if meaning.isInstanceOf[DateLogicalTypeAnnotation] => i
      // Spark stores intervals as plain numbers.
      case (_: YearMonthIntervalType, i: Int) if meaning == null => i
      case (_: DayTimeIntervalType, l: Long) if meaning == null => l
      case _ => null
    }
  }

  private def isSigned(meaning: LogicalTypeAnnotation): Boolean = meaning match {
    case null => true
    case i: IntLogicalTypeAnnotation => i.isSigned
    case _ => false
  }

  private def floating(value: Any, meaning: LogicalTypeAnnotation, dataType: DataType): Any =
    (dataType, value) match {
      case _ if meaning != null => null
      case (FloatType, f: Float) => f
      case (DoubleType, f: Float) => f.toDouble
      case (DoubleType, d: Double) => d
      case _ => null
    }

  private def micros(value: Any, meaning: LogicalTypeAnnotation, isInstant: Boolean): Any = (value, meaning) match {
    case (l: Long, t: TimestampLogicalTypeAnnotation) if t.isAdjustedToUTC == isInstant =>
      t.getUnit match {
        case TimeUnit.MICROS => l
        case TimeUnit.MILLIS => Try(Math.multiplyExact(l, 1000L)).getOrElse(null)
        case _ => null
      }
    case _ => null
  }

  private def isText(meaning: LogicalTypeAnnotation): Boolean = meaning match {
    case null => true
    case _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation => true
    case _ => false
  }

  private def bytes(value: Any, stored: PrimitiveType): Option[Array[Byte]] = value match {
    case b: Binary if stored.getPrimitiveTypeName == BINARY => Some(b.getBytes)
    case _ => None
  }

  private def decimal(value: Any, meaning: LogicalTypeAnnotation, wanted: DecimalType): Any = {
    val scale = meaning match {
      case d: DecimalLogicalTypeAnnotation => Some(d.getScale)
      case null => Some(0).filter(_ => !value.isInstanceOf[Binary])
      case _ => None
    }
    val unscaled = value match {
      case i: Int => Some(BigInteger.valueOf(i.toLong))
      case l: Long => Some(BigInteger.valueOf(l))
      case b: Binary => Some(new BigInteger(b.getBytes))
      case _ => None
    }
    val exact = for (s <- scale if s <= wanted.scale; u <- unscaled) yield new BigDecimal(u, s).setScale(wanted.scale)
    exact.filter(_.precision <= wanted.precision).map(d => Decimal(d, wanted.precision, wanted.scale)).orNull
  }
}
