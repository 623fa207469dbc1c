// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.io.{DataInputStream, DataOutputStream}

/**
 * The order of the keys of a column, and what has to know their form.
 *
 * Keys are longs ([[LongKeyOrder]]) or objects; a NULL has no key, and where it stands among keys it is a null that is
 * compared with none. Only whoever knows the types of columns can make keys of values.
 */
trait KeyOrder extends Serializable {

  /** Compares two keys. */
  def compare(left: Any, right: Any): Int

  /** The same as an [[Ordering]]. */
  def ordering: Ordering[Any] = (left, right) => compare(left, right)

  /** Bounds over keys that are distinct and ascending. */
  def bounds(keys: Array[Any]): SortedBounds

  /** What writes keys to a stream. */
  def codec: KeyCodec
}

/** The order of keys that are longs. */
trait LongKeyOrder extends KeyOrder {

  override def compare(left: Any, right: Any): Int =
    java.lang.Long.compare(left.asInstanceOf[Long], right.asInstanceOf[Long])

  override def bounds(keys: Array[Any]): SortedBounds = new LongBounds(keys.map(_.asInstanceOf[Long]))

  override def codec: KeyCodec = LongKeyOrder.Codec
}

/** Longs in their own order. */
object LongKeyOrder extends LongKeyOrder {

  private object Codec extends KeyCodec {
    override def write(key: Any, out: java.io.DataOutputStream): Unit = out.writeLong(key.asInstanceOf[Long])
    override def read(in: java.io.DataInputStream): Any = in.readLong()
  }
}

/** Writes keys of one [[KeyOrder]] to a stream and reads them back. */
trait KeyCodec {
  def write(key: Any, out: DataOutputStream): Unit
  def read(in: DataInputStream): Any
}

/**
 * Values of fixed width as signed longs that compare as Spark compares the values.
 *
 * Generated and interpreted code call these same methods.
 */
object OrderedBits {

  def ofBoolean(value: Boolean): Long = if (value) 1L else 0L

  /** -0.0 and 0.0 are one value, NaN is one value above infinity: the order of Spark's `SQLOrderingUtil`. */
  def ofDouble(value: Double): Long = {
    // Adding 0.0 turns -0.0 into 0.0; doubleToLongBits has one pattern for every NaN.
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    // Negative numbers grow downwards in their magnitude bits: flip those, keep the sign.
    bits ^ ((bits >> 63) & Long.MaxValue)
  }

  /** A float widens to a double without loss, so it shares the double's order. */
  def ofFloat(value: Float): Long = ofDouble(value.toDouble)

  /** The double whose ordered bits these are. */
  def toDouble(bits: Long): Double = java.lang.Double.longBitsToDouble(bits ^ ((bits >> 63) & Long.MaxValue))
}
