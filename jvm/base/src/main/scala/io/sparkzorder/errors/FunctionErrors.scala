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

  // Arguments of table functions; `arguments` are the names of all that there are.

  def unnamedAfterNamed(function: String, value: Expression, arguments: Seq[String]): ZOrderAnalysisException =
    locatedError(
      "ZORDER_FUNCTION_ARGUMENT.AFTER_NAMED",
      value.origin,
      "function" -> function,
      "value" -> value.sql,
      "arguments" -> list(arguments))

  def missingArgument(function: String, argument: String, arguments: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_FUNCTION_ARGUMENT.MISSING",
      "function" -> function,
      "argument" -> argument,
      "arguments" -> list(arguments))

  def nonConstantArgument(function: String, argument: String, value: Expression): ZOrderAnalysisException =
    locatedError(
      "ZORDER_FUNCTION_ARGUMENT.NOT_CONSTANT",
      value.origin,
      "function" -> function,
      "argument" -> argument,
      "value" -> value.sql)

  def tooManyArguments(function: String, count: Int, arguments: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_FUNCTION_ARGUMENT.TOO_MANY",
      "function" -> function,
      "count" -> count.toString,
      "arguments" -> list(arguments))

  def argumentTwice(function: String, argument: String): ZOrderAnalysisException =
    error("ZORDER_FUNCTION_ARGUMENT.TWICE", "function" -> function, "argument" -> argument)

  def unknownArgument(function: String, argument: String, arguments: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_FUNCTION_ARGUMENT.UNKNOWN",
      "function" -> function,
      "argument" -> argument,
      "arguments" -> list(arguments))

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
