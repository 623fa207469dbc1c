// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.types.DataType

/** Types of [[OrderableTypes]] that not every Spark has: Spark 4.0 has none of them. */
object NewerOrderableTypes {
  val all: Seq[DataType] = Nil
  val settings: Map[String, String] = Map.empty
}
