// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.catalyst.InternalRow

/** A row of Spark 4.0, which is asked for no views of bytes. */
private[columnar] abstract class RowWithViews extends InternalRow {

  /** Bytes of a value: the array that they are in, the address of the first, and their number. */
  protected def bytesAt(column: Int): (Array[Byte], Long, Int)

  protected def unsupported: Nothing
}
