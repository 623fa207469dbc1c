// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.util.Arrays

/**
 * A growing list of keys that can be sorted and halved: one level of a [[QuantileSketch]].
 *
 * Longs lie in a `long[]`, other keys in an array of objects; one subclass each.
 */
private[key] sealed abstract class KeyBuffer {
  protected var count: Int = 0

  final def size: Int = count

  /** The key at `i`. */
  def apply(i: Int): Any

  def append(key: Any): Unit

  def sort(): Unit

  /** Appends the key at `from` of `other`, a buffer of the same order, without boxing. */
  protected def appendFrom(other: KeyBuffer, from: Int): Unit

  /** Moves the key at `from` to `to`. */
  protected def move(from: Int, to: Int): Unit

  final def appendAll(other: KeyBuffer): Unit = {
    var i = 0
    while (i < other.size) {
      appendFrom(other, i)
      i += 1
    }
  }

  /**
   * Sorts the keys, appends every second one to `target`, from `offset` 0 or 1 on, and forgets the rest. Of an odd
   * number of keys the last one stays, so that each key in `target` stands for exactly two.
   */
  final def compactInto(target: KeyBuffer, offset: Int): Unit = {
    sort()
    val even = count & ~1
    var i = offset
    while (i < even) {
      target.appendFrom(this, i)
      i += 2
    }
    if (even < count) move(even, 0)
    count -= even
  }
}

private[key] object KeyBuffer {
  private val InitialCapacity = 16

  def of(order: KeyOrder): KeyBuffer = order match {
    case _: LongKeyOrder => new LongKeyBuffer
    case _ => new ObjectKeyBuffer(order)
  }

  private final class LongKeyBuffer extends KeyBuffer {
    private var keys = new Array[Long](InitialCapacity)

    private def appendLong(key: Long): Unit = {
      if (count == keys.length) keys = Arrays.copyOf(keys, 2 * count)
      keys(count) = key
      count += 1
    }

    override def apply(i: Int): Any = keys(i)
    override def append(key: Any): Unit = appendLong(key.asInstanceOf[Long])
    override def sort(): Unit = Arrays.sort(keys, 0, count)
    override protected def move(from: Int, to: Int): Unit = keys(to) = keys(from)
    override protected def appendFrom(other: KeyBuffer, from: Int): Unit =
      appendLong(other.asInstanceOf[LongKeyBuffer].keys(from))
  }

  private final class ObjectKeyBuffer(order: KeyOrder) extends KeyBuffer {
    private var keys = new Array[AnyRef](InitialCapacity)

    override def apply(i: Int): Any = keys(i)

    override def append(key: Any): Unit = {
      if (count == keys.length) keys = Arrays.copyOf(keys, 2 * count)
      keys(count) = key.asInstanceOf[AnyRef]
      count += 1
    }

    override def sort(): Unit = Arrays.sort(keys, 0, count, (l: AnyRef, r: AnyRef) => order.compare(l, r))
    override protected def move(from: Int, to: Int): Unit = keys(to) = keys(from)
    override protected def appendFrom(other: KeyBuffer, from: Int): Unit =
      append(other.asInstanceOf[ObjectKeyBuffer].keys(from))
  }
}
