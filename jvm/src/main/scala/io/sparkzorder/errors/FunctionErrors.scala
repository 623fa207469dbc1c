// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.catalyst.expressions.Expression

/** Errors of functions: wrong arguments, and inputs that `range_partition_id` cannot have. */
private[errors] trait FunctionErrors extends ErrorBuilder {

  /** `position` counts from 1. */
  def invalidArgumentType(
      function: String,
      position: Int,
      argument: Expression,
      expected: String,
      hint: String): ZOrderAnalysisException =
    locatedError(
      "ZORDER_INVALID_ARGUMENT_TYPE",
      argument.origin,
      "function" -> function,
      "position" -> position.toString,
      "argument" -> argument.sql,
      "actual" -> argument.dataType.sql,
      "expected" -> expected,
      "hint" -> hint
    )

  /** `value` is what `argument` evaluates to. */
  def nonPositiveRangeCount(argument: Expression, value: String, column: Expression): ZOrderAnalysisException =
    locatedError(
      "ZORDER_NON_POSITIVE_RANGE_COUNT",
      argument.origin,
      "argument" -> argument.sql,
      "value" -> value,
      "column" -> column.sql)

  def nonConstantRangeCount(argument: Expression, column: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_NON_CONSTANT_RANGE_COUNT", argument.origin, "argument" -> argument.sql, "column" -> column.sql)

  /** `reference`: the outer column or lambda variable in the call's argument. */
  def rangeArgumentNotFromInput(call: Expression, reference: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.FOREIGN_REFERENCE", call.origin, "call" -> call.sql, "reference" -> reference.sql)

  def rangeInputCorrelated(call: Expression, reference: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.CORRELATED", call.origin, "call" -> call.sql, "reference" -> reference.sql)

  def rangeInputSpansJoin(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.SPANS_JOIN", call.origin, "call" -> call.sql)

  def rangeInputStreaming(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.STREAMING", call.origin, "call" -> call.sql)

  def rangeInputUnsupported(call: Expression, operator: String): ZOrderAnalysisException =
    locatedError("ZORDER_RANGE_INPUT.UNSUPPORTED_STATEMENT", call.origin, "call" -> call.sql, "operator" -> operator)

  def noAxis(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_NO_AXIS", call.origin, "call" -> call.sql)

  def noKeyColumn(call: Expression): ZOrderAnalysisException =
    locatedError("ZORDER_NO_KEY_COLUMN", call.origin, "call" -> call.sql)

  /** `limit`: the most bits that so many axes can have. */
  def invalidBits(argument: Expression, axes: Int, limit: Int): ZOrderAnalysisException =
    locatedError(
      "ZORDER_INVALID_BITS",
      argument.origin,
      "argument" -> argument.sql,
      "axes" -> axes.toString,
      "limit" -> limit.toString)
}
