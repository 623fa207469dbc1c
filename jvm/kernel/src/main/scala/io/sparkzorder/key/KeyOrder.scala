// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

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
