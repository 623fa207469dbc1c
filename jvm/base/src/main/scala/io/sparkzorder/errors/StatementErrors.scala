// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

/** Errors of statements that are known by their text and the names in it: columns, predicates, options. */
private[errors] trait StatementErrors extends ErrorBuilder {

  // Syntax. `found`: what stands at `place`, in quotes; `form`: the statement in a line.

  /** `meant` should stand there. */
  def misspelled(found: String, meant: String, form: String, place: Origin): ZOrderParseException =
    syntaxError("MISSPELLED", place, "found" -> found, "meant" -> meant, "form" -> form)

  /** `clause` should stand in front of `later`. */
  def outOfOrder(found: String, clause: String, later: String, form: String, place: Origin): ZOrderParseException =
    syntaxError("CLAUSE_ORDER", place, "found" -> found, "clause" -> clause, "later" -> later, "form" -> form)

  def noColumnName(found: String, form: String, place: Origin): ZOrderParseException =
    syntaxError("COLUMN_NAME", place, "found" -> found, "form" -> form)

  def unexpected(found: String, form: String, place: Origin): ZOrderParseException =
    syntaxError("UNEXPECTED", place, "found" -> found, "form" -> form)

  private def syntaxError(kind: String, place: Origin, parameters: (String, String)*): ZOrderParseException =
    new ZOrderParseException(s"ZORDER_SYNTAX_ERROR.$kind", parameters.toMap, None, place)

  // Columns

  def noColumn(statement: String, table: String, limit: Int, example: String): ZOrderAnalysisException =
    error(
      "ZORDER_NO_COLUMN",
      "statement" -> statement,
      "table" -> table,
      "limit" -> limit.toString,
      "example" -> example)

  def tooManyColumns(count: Int, limit: Int): ZOrderAnalysisException =
    error("ZORDER_TOO_MANY_COLUMNS", "count" -> count.toString, "limit" -> limit.toString)

  def duplicateColumn(column: String): ZOrderAnalysisException = error("ZORDER_DUPLICATE_COLUMN", "column" -> column)

  def partitionColumn(column: String, table: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_PARTITION_COLUMN", "column" -> column, "table" -> table, "allowed" -> list(allowed))

  def unorderableColumn(column: String, table: String, dataType: DataType): ZOrderAnalysisException =
    error("ZORDER_UNORDERABLE_COLUMN", "column" -> column, "table" -> table, "type" -> dataType.sql)

  def notAColumn(expression: String, table: String): ZOrderAnalysisException =
    error("ZORDER_NOT_A_COLUMN", "expression" -> expression, "table" -> table)

  def columnsWithoutStatistics(columns: Seq[String], table: String, conf: String): ZOrderAnalysisException =
    error("ZORDER_COLUMN_WITHOUT_STATISTICS", "columns" -> list(columns), "table" -> table, "conf" -> conf)

  // Predicates

  def predicateOnDataColumn(
      statement: String,
      table: String,
      columns: Seq[String],
      allowed: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_PREDICATE_ON_DATA_COLUMN",
      "statement" -> statement,
      "table" -> table,
      "columns" -> list(columns),
      "allowed" -> list(allowed))

  def predicateWithSubquery(statement: String, table: String): ZOrderAnalysisException =
    error("ZORDER_PREDICATE_WITH_SUBQUERY", "statement" -> statement, "table" -> table)

  def predicateNotDeterministic(statement: String, table: String, predicate: String): ZOrderAnalysisException =
    error("ZORDER_PREDICATE_NOT_DETERMINISTIC", "statement" -> statement, "table" -> table, "predicate" -> predicate)

  def predicateNotBoolean(
      statement: String,
      table: String,
      predicate: String,
      dataType: DataType): ZOrderAnalysisException =
    error(
      "ZORDER_PREDICATE_NOT_BOOLEAN",
      "statement" -> statement,
      "table" -> table,
      "predicate" -> predicate,
      "type" -> dataType.sql)

  // Queries

  /** `firstWord`: what the text begins with that should be a query. */
  def notAQuery(statement: String, firstWord: String): ZOrderAnalysisException =
    error("ZORDER_NOT_A_QUERY", "statement" -> statement, "firstWord" -> firstWord)

  /** `reason`: a sentence. */
  def queryNotPlanned(statement: String, reason: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_QUERY_NOT_PLANNED", cause, "statement" -> statement, "reason" -> reason)

  /** `number`: its place among the queries, from 1. */
  def workloadNotAQuery(number: Int, firstWord: String): ZOrderAnalysisException =
    error("ZORDER_WORKLOAD_NOT_A_QUERY", "number" -> number.toString, "firstWord" -> firstWord)

  def queryWithoutTable(table: String, number: Int): ZOrderAnalysisException =
    error("ZORDER_QUERY_WITHOUT_TABLE", "table" -> table, "number" -> number.toString)

  /** `reason`: half a sentence. */
  def recording(path: String, reason: String): ZOrderAnalysisException =
    error("ZORDER_RECORDING", "path" -> path, "reason" -> reason)

  /** `reason`: half a sentence. */
  def nothingToAdvise(table: String, reason: String): ZOrderAnalysisException =
    error("ZORDER_NOTHING_TO_ADVISE", "table" -> table, "reason" -> reason)

  // Options

  def unknownOption(statement: String, option: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_UNKNOWN_OPTION", "statement" -> statement, "option" -> option, "allowed" -> list(allowed))

  def invalidOption(statement: String, option: String, value: String, allowed: String): ZOrderAnalysisException =
    error("ZORDER_INVALID_OPTION", "statement" -> statement, "option" -> option, "value" -> value, "allowed" -> allowed)
}
