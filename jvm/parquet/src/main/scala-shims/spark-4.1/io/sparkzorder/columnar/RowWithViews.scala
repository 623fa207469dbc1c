// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.unsafe.types.{GeographyVal, GeometryVal}

/** A row of Spark 4.1, which is asked for no views of bytes, but for values of places, of which there are none here. */
private[columnar] abstract class RowWithViews extends RowOfBytes {

  override def getGeography(column: Int): GeographyVal = unsupported
  override def getGeometry(column: Int): GeometryVal = unsupported
}
