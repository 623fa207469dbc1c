// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.{GeographyVal, GeometryVal}

/** A row of Spark 4.1, which is asked for no views of bytes, but for values of places, of which there are none here. */
private[columnar] abstract class RowWithViews extends InternalRow {

  /** The array that the bytes of a value are in, the address of the first, and their number. */
  protected def bytesIn(column: Int): Array[Byte]
  protected def bytesFrom(column: Int): Long
  protected def bytesSize(column: Int): Int

  override def getGeography(column: Int): GeographyVal = unsupported
  override def getGeometry(column: Int): GeometryVal = unsupported

  protected def unsupported: Nothing
}
