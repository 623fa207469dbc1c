// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.unsafe.types.BinaryView

/** A row of Spark 4.2, which may be asked for the bytes of a value without a copy. */
private[columnar] abstract class RowWithViews extends RowOfBytes {

  override def getBinaryView(column: Int): BinaryView =
    if (isNullAt(column)) null
    else BinaryView.fromAddress(bytesIn(column), bytesFrom(column), bytesSize(column))
}
