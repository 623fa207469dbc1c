// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.types.{DataType, GeographyType, GeometryType, TimeType}

/** Types that not every Spark has. */
private[sparkzorder] object NewerTypes {

  def isTime(dataType: DataType): Boolean = dataType.isInstanceOf[TimeType]

  /** Whether both are times, or both places of one kind, whatever their precision or system of coordinates. */
  def areAlike(a: DataType, b: DataType): Boolean = (a, b) match {
    case (_: TimeType, _: TimeType) | (_: GeometryType, _: GeometryType) | (_: GeographyType, _: GeographyType) => true
    case _ => false
  }
}
