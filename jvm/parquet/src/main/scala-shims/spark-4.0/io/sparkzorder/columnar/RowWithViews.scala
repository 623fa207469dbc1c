// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.catalyst.InternalRow

/** A row of Spark 4.0, which is asked for no views of bytes. */
private[columnar] abstract class RowWithViews extends InternalRow {

  /** The array that the bytes of a value are in, the address of the first, and their number. */
  protected def bytesIn(column: Int): Array[Byte]
  protected def bytesFrom(column: Int): Long
  protected def bytesSize(column: Int): Int

  protected def unsupported: Nothing
}
