// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types.DataType

/** Errors of the order of a table: SORT BY, its table properties, and what would make them untrue. */
private[errors] trait OrderErrors extends ErrorBuilder {

  /** `property` has the value `value`, which is none of `allowed`. */
  def invalidTableProperty(
      table: String,
      property: String,
      value: String,
      allowed: Seq[String]): ZOrderAnalysisException =
    error(
      "ZORDER_INVALID_TABLE_PROPERTY",
      "table" -> table,
      "property" -> property,
      "value" -> value,
      "allowed" -> list(allowed))

  /** `column` stands in the table's order, but not among the columns of the rows to write. */
  def sortColumnGone(table: String, column: String, columns: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_SORT_COLUMN_GONE", "table" -> table, "column" -> column, "columns" -> list(columns))

  // The clause, as the parser finds it

  def emptySortBy(place: Origin): ZOrderParseException =
    new ZOrderParseException("ZORDER_SORT_WITHOUT_COLUMN", Map.empty, None, place)

  /** `expression`: what should be a column's name. */
  def computedSortColumn(expression: String, place: Origin): ZOrderParseException =
    new ZOrderParseException("ZORDER_SORT_COMPUTED_NAME", Map("expression" -> expression), None, place)

  /** `property` is set by hand, beside `clause`. */
  def sortByAndProperty(property: String, clause: String, place: Origin): ZOrderParseException =
    new ZOrderParseException("ZORDER_SORT_AND_PROPERTY", Map("property" -> property, "clause" -> clause), None, place)

  // Columns

  def unknownSortColumn(column: String, table: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_SORT_UNKNOWN_COLUMN", "column" -> column, "table" -> table, "allowed" -> list(allowed))

  def duplicateSortColumn(column: String, table: String): ZOrderAnalysisException =
    error("ZORDER_SORT_DUPLICATE_COLUMN", "column" -> column, "table" -> table)

  def partitionSortColumn(column: String, table: String, allowed: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_SORT_PARTITION_COLUMN", "column" -> column, "table" -> table, "allowed" -> list(allowed))

  def singleZOrderColumn(column: String, table: String): ZOrderAnalysisException =
    error("ZORDER_SORT_SINGLE_COLUMN", "column" -> column, "table" -> table)

  def noRawKey(column: String, table: String, dataType: DataType): ZOrderAnalysisException =
    error("ZORDER_SORT_NO_RAW_KEY", "column" -> column, "table" -> table, "type" -> dataType.sql)

  def unorderableSortColumn(column: String, table: String, dataType: DataType): ZOrderAnalysisException =
    error("ZORDER_SORT_UNORDERABLE_COLUMN", "column" -> column, "table" -> table, "type" -> dataType.sql)

  def tooManySortColumns(count: Int, limit: Int, table: String): ZOrderAnalysisException =
    error("ZORDER_SORT_TOO_MANY_COLUMNS", "count" -> count.toString, "limit" -> limit.toString, "table" -> table)

  // Tables

  def unsortableFormat(table: String, format: String): ZOrderAnalysisException =
    error("ZORDER_SORT_UNSUPPORTED_FORMAT", "table" -> table, "format" -> format)

  def sortByAndBuckets(table: String): ZOrderAnalysisException = error("ZORDER_SORT_AND_BUCKETS", "table" -> table)

  /**
   * @param reason
   *   what moves the rows
   * @param remedy
   *   what to do about it, as the begin of a sentence
   */
  def sortOverruled(table: String, reason: String, remedy: String): ZOrderAnalysisException =
    error("ZORDER_SORT_OVERRULED", "table" -> table, "reason" -> reason, "remedy" -> remedy)

  def sortByAndClustering(table: String): ZOrderAnalysisException =
    error("ZORDER_SORT_AND_CLUSTERING", "table" -> table)

  // Statements on a table with an order, or without one

  /** `statement` would take `column` out of the order `order`, or rename it. */
  def sortColumnInUse(statement: String, column: String, table: String, order: String): ZOrderAnalysisException =
    error(
      "ZORDER_SORT_COLUMN_IN_USE",
      "statement" -> statement,
      "column" -> column,
      "table" -> table,
      "order" -> order)

  /** `table` is the folder at `path`, of a format that keeps no properties in the folder. */
  def folderWithoutOrder(table: String, path: String): ZOrderAnalysisException =
    error("ZORDER_FOLDER_WITHOUT_ORDER", "table" -> table, "path" -> path)

  def noTableOrder(table: String, example: String): ZOrderAnalysisException =
    error("ZORDER_NO_TABLE_ORDER", "table" -> table, "example" -> example)

  /** OPTIMIZE without ZORDER on a table with an order of its own. */
  def compactionOfOrder(table: String, columns: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_COMPACTION_OF_ORDER", "table" -> table, "columns" -> list(columns))

  def lexicalTableOrder(table: String, columns: Seq[String]): ZOrderAnalysisException =
    error("ZORDER_LEXICAL_TABLE_ORDER", "table" -> table, "columns" -> list(columns))

  /** `setting`: what makes Delta shuffle rows once more. */
  def sortByAndOptimizedWrites(table: String, setting: String): ZOrderAnalysisException =
    error("ZORDER_SORT_AND_OPTIMIZED_WRITES", "table" -> table, "setting" -> setting)
}
