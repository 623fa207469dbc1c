// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.types

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Writes values of a type as bytes that compare, unsigned and from the first on, as Spark compares the values. All codes of
 * a type have one length, so that codes of several columns can be interleaved without a sample of their values.
 *
 * The first byte is 0 for NULL and 1 for a value. Numbers without a fraction take 8 bytes whatever their type, such that
 * equal values have equal bits in a BIGINT and a TINYINT column; dates count in microseconds as timestamps do.
 */
sealed trait ZOrderCode extends Serializable {

  /** Number of bytes of a code. */
  def length: Int

  /** Writes the code of a non-null value of Spark's internal form. */
  def write(value: Any, code: Array[Byte]): Unit

  /** Java source of a statement that does the same, given Java source of a value and of a `byte[]`. */
  def source(value: String, code: String): String
}

object ZOrderCode {

  /** Bytes of a STRING or a BINARY that count. */
  val PrefixLength = 16

  /** @return None for types without an order, and for structs and arrays, whose codes would have no fixed length */
  def of(dataType: DataType): Option[ZOrderCode] = dataType match {
    case udt: UserDefinedType[_] => of(udt.sqlType)
    case NullType => Some(NullCode)
    case DateType => Some(DateCode)
    case BinaryType => Some(BinaryCode)
    case d: DecimalType => Some(DecimalCode(d.precision, d.scale))
    case s: StringType => Some(StringCode(KeyType.of(s).get))
    case _ => KeyType.of(dataType).collect { case k: LongKeyType => LongCode(k) }
  }
}

/** NULL without a type. */
private case object NullCode extends ZOrderCode {
  override def length: Int = 1
  override def write(value: Any, code: Array[Byte]): Unit = ZOrderCodes.putNull(code)
  override def source(value: String, code: String): String = ZOrderCodes.call("putNull", code)
}

private final case class LongCode(keyType: LongKeyType) extends ZOrderCode {
  override def length: Int = 9
  override def write(value: Any, code: Array[Byte]): Unit =
    ZOrderCodes.putLong(keyType.key(value).asInstanceOf[Long], code)
  override def source(value: String, code: String): String =
    ZOrderCodes.call("putLong", keyType.code(value), code)
}

private case object DateCode extends ZOrderCode {
  override def length: Int = 9
  override def write(value: Any, code: Array[Byte]): Unit = ZOrderCodes.putDate(value.asInstanceOf[Int], code)
  override def source(value: String, code: String): String = ZOrderCodes.call("putDate", value, code)
}

/** The first bytes, filled up with zeros. */
private case object BinaryCode extends ZOrderCode {
  override def length: Int = 1 + ZOrderCode.PrefixLength
  override def write(value: Any, code: Array[Byte]): Unit =
    ZOrderCodes.putPrefix(value.asInstanceOf[Array[Byte]], code)
  override def source(value: String, code: String): String = ZOrderCodes.call("putPrefix", value, code)
}

/** The first bytes in UTF-8, or of the key of the collation. */
private final case class StringCode(keyType: KeyType) extends ZOrderCode {
  override def length: Int = 1 + ZOrderCode.PrefixLength
  override def write(value: Any, code: Array[Byte]): Unit =
    ZOrderCodes.putString(keyType.key(value).asInstanceOf[UTF8String], code)
  override def source(value: String, code: String): String =
    ZOrderCodes.call("putString", keyType.code(value), code)
}

/** The whole part as a number, and behind it the digits of the fraction as another, its first bit leftmost. */
private final case class DecimalCode(precision: Int, scale: Int) extends ZOrderCode {
  private val wholeBytes = if (precision - scale <= Decimal.MAX_LONG_DIGITS) 8 else 16
  private val fractionBytes = if (scale == 0) 0 else if (scale <= Decimal.MAX_LONG_DIGITS) 8 else 16

  override def length: Int = 1 + wholeBytes + fractionBytes
  override def write(value: Any, code: Array[Byte]): Unit =
    ZOrderCodes.putDecimal(value.asInstanceOf[Decimal], scale, wholeBytes, code)
  override def source(value: String, code: String): String =
    ZOrderCodes.call("putDecimal", value, scale.toString, wholeBytes.toString, code)
}
