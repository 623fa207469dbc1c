// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types.BinaryType
import org.apache.spark.sql.vectorized.ColumnVector

/** A value of a vector of strings or binaries: `length` bytes at `offset` of `bytes`. */
private[columnar] abstract class VectorText {
  var bytes: Array[Byte] = _
  var offset: Int = 0
  var length: Int = 0

  /** Goes to the value of row `i`, which is not NULL. */
  def find(i: Int): Unit
}

private[columnar] object VectorText {

  /** Of the rows that the vector has now. */
  def of(vector: ColumnVector): VectorText = vector match {
    case v: OnHeapColumnVector if !v.hasDictionary => new Plain(v)
    case v: WritableColumnVector => new Binary(v)
    // The value of a partition column.
    case v if v.dataType == BinaryType => new Binary(v)
    case v => new Text(v)
  }

  private final class Plain(vector: OnHeapColumnVector) extends VectorText {
    override def find(i: Int): Unit = {
      // All values of the batch stand in one array; a vector of NULLs alone may have none.
      if (bytes == null) bytes = vector.arrayData().getByteBuffer(0, 0).array()
      offset = vector.getArrayOffset(i)
      length = vector.getArrayLength(i)
    }
  }

  /** Of a dictionary the value itself, not a copy. */
  private final class Binary(vector: ColumnVector) extends VectorText {
    override def find(i: Int): Unit = {
      bytes = vector.getBinary(i)
      length = bytes.length
    }
  }

  private final class Text(vector: ColumnVector) extends VectorText {
    override def find(i: Int): Unit = {
      bytes = vector.getUTF8String(i).getBytes
      length = bytes.length
    }
  }
}
