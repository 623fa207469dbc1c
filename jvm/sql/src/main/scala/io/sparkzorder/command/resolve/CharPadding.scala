// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal, StringRPad}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.CharType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Columns of type CHAR(n) as a query reads them: Spark pads values that are stored shorter than n, and the constants
 * that they are compared with. A statement's predicate chooses among values as they are stored.
 */
private[command] object CharPadding {

  def asRead(predicate: Expression): Expression = {
    val conf = SQLConf.get
    if (conf.charVarcharAsString) predicate
    else if (conf.readSideCharPadding) padded(SparkInternals.withPaddedComparisons(predicate, padColumn = true))
    // Where queries do not pad what they read, Spark pads comparisons, but not inside the call of a table function.
    else
      SparkInternals.withPaddedComparisons(
        predicate,
        padColumn = !conf.getConf(SQLConf.LEGACY_NO_CHAR_PADDING_IN_PREDICATE))
  }

  private def padded(expression: Expression): Expression = expression match {
    case done @ StringRPad(_: AttributeReference, _, _) => done
    case column: AttributeReference =>
      CharVarcharUtils.getRawType(column.metadata) match {
        case Some(char: CharType) => StringRPad(column, Literal(char.length))
        case _ => column
      }
    case other => other.mapChildren(padded)
  }
}
