// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.describe

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Prints values as `CAST(value AS STRING)` does. */
private[command] object ValueText {

  /** @return null for null */
  def of(value: Any, dataType: DataType, conf: SQLConf): String =
    Cast(Literal(value, dataType), StringType, Some(conf.sessionLocalTimeZone), ansiEnabled = false).eval() match {
      case null => null
      case text => text.asInstanceOf[UTF8String].toString
    }
}
