// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.BinaryView

/** A row of Spark 4.2, which may be asked for the bytes of a value without a copy. */
private[columnar] abstract class RowWithViews extends InternalRow {

  /** The array that the bytes of a value are in, the address of the first, and their number. */
  protected def bytesIn(column: Int): Array[Byte]
  protected def bytesFrom(column: Int): Long
  protected def bytesSize(column: Int): Int

  protected def unsupported: Nothing

  override def getBinaryView(column: Int): BinaryView =
    if (isNullAt(column)) null
    else BinaryView.fromAddress(bytesIn(column), bytesFrom(column), bytesSize(column))
}
