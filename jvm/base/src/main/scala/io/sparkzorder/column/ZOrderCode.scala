// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import java.math.BigInteger
import java.util.Arrays

import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
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

/** The whole part as a number, and after it the digits of the fraction as another, its first bit leftmost. */
private final case class DecimalCode(precision: Int, scale: Int) extends ZOrderCode {
  // Of a negative scale there may be more digits than of any other decimal.
  private val wholeBytes =
    if (precision - scale <= Decimal.MAX_LONG_DIGITS) 8
    else if (precision - scale <= DecimalType.MAX_PRECISION) 16 else 32
  private val fractionBytes = if (scale <= 0) 0 else if (scale <= Decimal.MAX_LONG_DIGITS) 8 else 16

  override def length: Int = 1 + wholeBytes + fractionBytes
  override def write(value: Any, code: Array[Byte]): Unit =
    ZOrderCodes.putDecimal(value.asInstanceOf[Decimal], scale, wholeBytes, code)
  override def source(value: String, code: String): String =
    ZOrderCodes.call("putDecimal", value, scale.toString, wholeBytes.toString, code)
}

/** Writes the codes of [[ZOrderCode]]: what interpreted and generated code both call. Each fills all of `code`. */
object ZOrderCodes {

  private val MaxDays = Long.MaxValue / MICROS_PER_DAY

  /** Powers of ten by their exponents: those that fit a long, and all that a decimal can need. */
  private val LongPowers = Array.iterate(1L, Decimal.MAX_LONG_DIGITS + 1)(_ * 10)
  private val Powers = Array.tabulate(DecimalType.MAX_PRECISION + 1)(BigInteger.TEN.pow)

  /** Java source of a call. */
  private[sparkzorder] def call(method: String, arguments: String*): String =
    s"${getClass.getName.stripSuffix("$")}.$method(${arguments.mkString(", ")});"

  def putNull(code: Array[Byte]): Unit = Arrays.fill(code, 0.toByte)

  /** @param value in the order of signed longs */
  def putLong(value: Long, code: Array[Byte]): Unit = {
    code(0) = 1
    putBits(value ^ Long.MinValue, code, 1)
  }

  /** Days beyond those of a timestamp have the code of its last, or first, day. */
  def putDate(days: Int, code: Array[Byte]): Unit =
    putLong(math.max(-MaxDays, math.min(MaxDays, days.toLong)) * MICROS_PER_DAY, code)

  def putPrefix(bytes: Array[Byte], code: Array[Byte]): Unit = {
    val length = math.min(bytes.length, code.length - 1)
    code(0) = 1
    System.arraycopy(bytes, 0, code, 1, length)
    Arrays.fill(code, 1 + length, code.length, 0.toByte)
  }

  def putString(text: UTF8String, code: Array[Byte]): Unit = putPrefix(text.getBytes, code)

  /** @param wholeBytes bytes of the whole part; the rest is the fraction's */
  def putDecimal(value: Decimal, scale: Int, wholeBytes: Int, code: Array[Byte]): Unit =
    if (scale >= 0 && wholeBytes == 8 && code.length <= 17 && value.precision <= Decimal.MAX_LONG_DIGITS) {
      val (unscaled, unit) = (value.toUnscaledLong, LongPowers(scale))
      putLong(Math.floorDiv(unscaled, unit), code)
      if (scale > 0) putBits(leftmost(Math.floorMod(unscaled, unit), unit), code, 9)
    } else if (scale < 0) putLarge(value.toJavaBigDecimal.setScale(0).unscaledValue, BigInteger.ONE, wholeBytes, code)
    else putLarge(value.toJavaBigDecimal.unscaledValue, Powers(scale), wholeBytes, code)

  private def putLarge(unscaled: BigInteger, unit: BigInteger, wholeBytes: Int, code: Array[Byte]): Unit = {
    val rest = unscaled.mod(unit)
    val whole = unscaled.subtract(rest).divide(unit)
    // Above all that is negative.
    val positive = whole.add(BigInteger.ONE.shiftLeft(8 * wholeBytes - 1))
    code(0) = 1
    putUnsigned(positive, code, 1, wholeBytes)
    val fractionBytes = code.length - 1 - wholeBytes
    val bits = unit.subtract(BigInteger.ONE).bitLength
    if (fractionBytes > 0) putUnsigned(rest.shiftLeft(8 * fractionBytes - bits), code, 1 + wholeBytes, fractionBytes)
  }

  /** A number below `unit` with the highest bit that one of them can have leftmost. */
  private def leftmost(value: Long, unit: Long): Long = value << java.lang.Long.numberOfLeadingZeros(unit - 1)

  private def putUnsigned(value: BigInteger, code: Array[Byte], at: Int, length: Int): Unit = {
    val bytes = value.toByteArray
    // One byte more than there is room for holds only the sign.
    val from = math.max(0, bytes.length - length)
    val zeros = length - (bytes.length - from)
    Arrays.fill(code, at, at + zeros, 0.toByte)
    System.arraycopy(bytes, from, code, at + zeros, bytes.length - from)
  }

  private def putBits(bits: Long, code: Array[Byte], at: Int): Unit = {
    var i = 0
    while (i < 8) {
      code(at + i) = (bits >>> (56 - 8 * i)).toByte
      i += 1
    }
  }
}
