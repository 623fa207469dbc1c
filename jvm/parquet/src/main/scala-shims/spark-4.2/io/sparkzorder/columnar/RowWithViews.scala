// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.BinaryView

/** A row of Spark 4.2, which may be asked for the bytes of a value without a copy. */
private[columnar] abstract class RowWithViews extends InternalRow {

  /** Bytes of a value: the array that they are in, the address of the first, and their number. */
  protected def bytesAt(column: Int): (Array[Byte], Long, Int)

  protected def unsupported: Nothing

  override def getBinaryView(column: Int): BinaryView =
    if (isNullAt(column)) null
    else {
      val (in, from, size) = bytesAt(column)
      BinaryView.fromAddress(in, from, size)
    }
}
