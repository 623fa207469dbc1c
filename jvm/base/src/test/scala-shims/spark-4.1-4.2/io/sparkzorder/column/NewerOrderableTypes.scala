// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, TimeType}

/** Types of [[OrderableTypes]] that not every Spark has. */
object NewerOrderableTypes {
  val all: Seq[DataType] = Seq(TimeType(6))

  /** TIME is behind a setting, whose default depends on what ran before in this JVM. */
  val settings: Map[String, String] = Map(SQLConf.TIME_TYPE_ENABLED.key -> "true")
}
