// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.types

import java.io.{DataInputStream, DataOutputStream}

import io.sparkzorder.key.KeyCodec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** Writes keys as their number of bytes and the bytes. */
private[types] abstract class BytesCodec extends KeyCodec {

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
private[types] object StringCodec extends BytesCodec {
  override protected def bytes(key: Any): Array[Byte] = key.asInstanceOf[UTF8String].getBytes
  override protected def key(bytes: Array[Byte]): Any = UTF8String.fromBytes(bytes)
}

/** Writes keys of [[ValueKeyType]], each as the one field of an unsafe row. */
private[types] final class RowCodec(dataType: DataType) extends BytesCodec {
  private lazy val toUnsafe = UnsafeProjection.create(Array(dataType))

  override protected def bytes(key: Any): Array[Byte] = toUnsafe(InternalRow(key)).getBytes

  override protected def key(bytes: Array[Byte]): Any = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    row.get(0, dataType)
  }
}
