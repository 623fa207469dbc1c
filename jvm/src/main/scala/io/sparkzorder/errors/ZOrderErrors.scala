package io.sparkzorder.errors

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.Origin

/** Every error that this project raises, one function each. Names and SQLSTATEs stand in the JSON of conditions. */
object ZOrderErrors {

  private def error(condition: String, origin: Origin, parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap, origin = origin)

  /** `position` counts from 1. */
  def invalidArgumentType(
      function: String,
      position: Int,
      argument: Expression,
      expected: String,
      hint: String): ZOrderAnalysisException =
    error(
      "ZORDER_INVALID_ARGUMENT_TYPE",
      argument.origin,
      "function" -> function,
      "position" -> position.toString,
      "argument" -> argument.sql,
      "actual" -> argument.dataType.sql,
      "expected" -> expected,
      "hint" -> hint
    )
}
