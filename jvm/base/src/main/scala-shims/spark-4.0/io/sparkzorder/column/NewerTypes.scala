// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.types.DataType

/** Types that not every Spark has: Spark 4.0 has no TIME, GEOMETRY and GEOGRAPHY. */
private[sparkzorder] object NewerTypes {

  def isTime(dataType: DataType): Boolean = false

  def areAlike(a: DataType, b: DataType): Boolean = false
}
