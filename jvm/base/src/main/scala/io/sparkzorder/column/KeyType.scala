// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import java.io.{DataInputStream, DataOutputStream}

import io.sparkzorder.key.{ComparedBounds, KeyCodec, KeyOrder, LongKeyOrder, OrderedBits, SortedBounds}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{RowOrdering, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types._
import org.apache.spark.sql.catalyst.util.CollationFactory
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, LongType, StringType, UserDefinedType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The form in which values of a type are compared: a long, a string of bytes, or the value itself.
 *
 * `key` turns a non-null value of Spark's internal form into that key, `code` is the Java expression that does the same
 * in generated code. Keys compare exactly as Spark compares the values.
 */
sealed trait KeyType extends KeyOrder {
  def dataType: DataType

  /** The key of a non-null value: `java.lang.Long`, `UTF8String` or the value. */
  def key(value: Any): Any

  /** Java source of the key, given Java source of a non-null value. */
  def code(value: String): String

  /** The SQL type of a key in a row. */
  def storedType: DataType
}

object KeyType {

  /** The key type of `dataType`, or None where Spark has no order (map, variant, calendar interval). */
  def of(dataType: DataType): Option[KeyType] =
    dataType match {
      case udt: UserDefinedType[_] => of(udt.sqlType)
      case _ if !RowOrdering.isOrderable(dataType) => None
      case _ => Some(ofOrderable(dataType))
    }

  private def ofOrderable(dataType: DataType): KeyType =
    PhysicalDataType(dataType) match {
      case PhysicalBooleanType | PhysicalByteType | PhysicalShortType | PhysicalIntegerType | PhysicalLongType |
          PhysicalFloatType | PhysicalDoubleType =>
        LongKeyType(dataType)
      case d: PhysicalDecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => LongKeyType(dataType)
      case s: PhysicalStringType => StringKeyType(dataType, s.collationId)
      case _ => ValueKeyType(dataType)
    }
}

/** Fixed-width types: integers, dates, timestamps, intervals, times, booleans, floats, decimals of up to 18 digits. */
final case class LongKeyType(dataType: DataType) extends KeyType with LongKeyOrder {
  override def key(value: Any): Any = (value: @unchecked) match {
    case b: Boolean => OrderedBits.ofBoolean(b)
    case f: Float => OrderedBits.ofFloat(f)
    case d: Double => OrderedBits.ofDouble(d)
    case d: Decimal => d.toUnscaledLong
    case n: Number => n.longValue
  }

  override def code(value: String): String = PhysicalDataType(dataType) match {
    case PhysicalBooleanType => s"io.sparkzorder.key.OrderedBits.ofBoolean($value)"
    case PhysicalFloatType => s"io.sparkzorder.key.OrderedBits.ofFloat($value)"
    case PhysicalDoubleType => s"io.sparkzorder.key.OrderedBits.ofDouble($value)"
    case _ if dataType.isInstanceOf[DecimalType] => s"$value.toUnscaledLong()"
    case _ => s"(long) $value"
  }

  override def storedType: DataType = LongType
}

/** Strings, compared as unsigned UTF-8 bytes; those of another collation by their collation key. */
final case class StringKeyType(dataType: DataType, collationId: Int) extends KeyType {
  private val binary = CollationFactory.fetchCollation(collationId).supportsBinaryEquality &&
    CollationFactory.fetchCollation(collationId).supportsBinaryOrdering

  override def key(value: Any): Any =
    if (binary) value else CollationFactory.getCollationKey(value.asInstanceOf[UTF8String], collationId)

  override def code(value: String): String =
    if (binary) value else s"${classOf[CollationFactory].getName}.getCollationKey($value, $collationId)"

  override def storedType: DataType = StringType

  override def compare(left: Any, right: Any): Int =
    left.asInstanceOf[UTF8String].binaryCompare(right.asInstanceOf[UTF8String])

  override def bounds(keys: Array[Any]): SortedBounds = new StringBounds(keys.map(_.asInstanceOf[UTF8String]))

  override def codec: KeyCodec = StringCodec
}

/** Everything else that Spark can order. Values are always objects, so nothing is boxed. */
final case class ValueKeyType(dataType: DataType) extends KeyType {
  // Spark's orderings are built from the type, so a task builds its own instead of receiving one.
  @transient private lazy val order = PhysicalDataType.ordering(dataType).asInstanceOf[Ordering[Any]]

  override def key(value: Any): Any = value

  override def code(value: String): String = value

  override def storedType: DataType = dataType

  override def compare(left: Any, right: Any): Int = order.compare(left, right)

  override def bounds(keys: Array[Any]): SortedBounds = new ComparedBounds(keys.map(_.asInstanceOf[AnyRef]), this)

  override def codec: KeyCodec = new RowCodec(dataType)
}

/** Writes keys as their number of bytes and the bytes. */
private[column] abstract class BytesCodec extends KeyCodec {

  protected def bytes(key: Any): Array[Byte]

  protected def key(bytes: Array[Byte]): Any

  final override def write(key: Any, out: DataOutputStream): Unit = {
    val written = bytes(key)
    out.writeInt(written.length)
    out.write(written)
  }

  final override def read(in: DataInputStream): Any = {
    val read = new Array[Byte](in.readInt())
    in.readFully(read)
    key(read)
  }
}

/** Writes keys of [[StringKeyType]]. */
private[column] object StringCodec extends BytesCodec {
  override protected def bytes(key: Any): Array[Byte] = key.asInstanceOf[UTF8String].getBytes
  override protected def key(bytes: Array[Byte]): Any = UTF8String.fromBytes(bytes)
}

/** Writes keys of [[ValueKeyType]], each as the one field of an unsafe row. */
private[column] final class RowCodec(dataType: DataType) extends BytesCodec {
  private lazy val toUnsafe = UnsafeProjection.create(Array(dataType))

  override protected def bytes(key: Any): Array[Byte] = toUnsafe(InternalRow(key)).getBytes

  override protected def key(bytes: Array[Byte]): Any = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    row.get(0, dataType)
  }
}
