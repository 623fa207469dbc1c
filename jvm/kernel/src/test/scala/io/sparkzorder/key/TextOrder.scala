// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.io.{DataInputStream, DataOutputStream}

/** Keys that are objects: texts in their own order. */
object TextOrder extends KeyOrder {

  override def compare(left: Any, right: Any): Int = left.asInstanceOf[String].compareTo(right.asInstanceOf[String])

  override def bounds(keys: Array[Any]): SortedBounds = new ComparedBounds(keys.map(_.asInstanceOf[AnyRef]), this)

  override def codec: KeyCodec = new KeyCodec {
    override def write(key: Any, out: DataOutputStream): Unit = out.writeUTF(key.asInstanceOf[String])
    override def read(in: DataInputStream): Any = in.readUTF()
  }
}
