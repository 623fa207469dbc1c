// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.key

import java.io.{DataInputStream, DataOutputStream}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** Writes keys of one [[KeyType]] to a stream and reads them back. */
private[key] sealed trait KeyCodec {
  def write(key: Any, out: DataOutputStream): Unit
  def read(in: DataInputStream): Any
}

private[key] object KeyCodec {

  def of(keyType: KeyType): KeyCodec = keyType match {
    case _: LongKeyType => LongCodec
    case _: StringKeyType => StringCodec
    case ValueKeyType(dataType) => new RowCodec(dataType)
  }

  private def writeBytes(bytes: Array[Byte], out: DataOutputStream): Unit = {
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def readBytes(in: DataInputStream): Array[Byte] = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    bytes
  }

  private object LongCodec extends KeyCodec {
    override def write(key: Any, out: DataOutputStream): Unit = out.writeLong(key.asInstanceOf[Long])
    override def read(in: DataInputStream): Any = in.readLong()
  }

  private object StringCodec extends KeyCodec {
    override def write(key: Any, out: DataOutputStream): Unit = writeBytes(key.asInstanceOf[UTF8String].getBytes, out)
    override def read(in: DataInputStream): Any = UTF8String.fromBytes(readBytes(in))
  }

  /** Any other value as the one field of an unsafe row. */
  private final class RowCodec(dataType: DataType) extends KeyCodec {
    private lazy val toUnsafe = UnsafeProjection.create(Array(dataType))

    override def write(key: Any, out: DataOutputStream): Unit = writeBytes(toUnsafe(InternalRow(key)).getBytes, out)

    override def read(in: DataInputStream): Any = {
      val bytes = readBytes(in)
      val row = new UnsafeRow(1)
      row.pointTo(bytes, bytes.length)
      row.get(0, dataType)
    }
  }
}
