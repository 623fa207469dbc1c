package io.sparkzorder.errors

import org.apache.spark.sql.types.DataType

/** Every error that this project raises, one function each. Names and SQLSTATEs stand in the JSON of conditions. */
object ZOrderErrors {

  private def error(condition: String, parameters: (String, String)*): ZOrderAnalysisException =
    new ZOrderAnalysisException(condition, parameters.toMap)

  def invalidArgumentType(
      function: String,
      position: Int,
      argument: String,
      actual: DataType,
      expected: String,
      hint: String): ZOrderAnalysisException =
    error(
      "ZORDER_INVALID_ARGUMENT_TYPE",
      "function" -> function,
      "position" -> position.toString,
      "argument" -> argument,
      "actual" -> actual.sql,
      "expected" -> expected,
      "hint" -> hint
    )

  def nonPositiveRangeCount(argument: String, value: String, column: String): ZOrderAnalysisException =
    error("ZORDER_NON_POSITIVE_RANGE_COUNT", "argument" -> argument, "value" -> value, "column" -> column)
}
