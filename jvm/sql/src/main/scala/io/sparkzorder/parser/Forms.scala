// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

/** Our statements, each in a line, for messages. */
private[parser] object Forms {

  val Optimize =
    "OPTIMIZE <table> [WHERE <predicate>] ZORDER BY (col [, col]*) [OPTIONS (key = 'value' [, ...])] [DRY RUN]"

  val DescribeLayout = "DESCRIBE LAYOUT [EXTENDED] <table> [ON (col [, col]*)] [WHERE <predicate>]"

  val AdviseLayout = "ADVISE LAYOUT <table> [ON (col [, col]*)] [FOR (<query>) [, (<query>)]*] [WHERE <predicate>] " +
    "[OPTIONS (key = 'value' [, ...])]"

  val ExplainSkipping = "EXPLAIN SKIPPING <query>"

  val Analyze =
    "ANALYZE TABLE <table> COMPUTE FILE STATISTICS [FOR COLUMNS col [, col]* | FOR ALL COLUMNS]"

  val DescribeRewrites = "DESCRIBE REWRITES <table>"

  val Restore = "RESTORE TABLE <table> TO BEFORE REWRITE <number>"

  val Vacuum = "VACUUM <table> REPLACED FILES [RETAIN <number> HOURS] [DRY RUN]"

  val Repair = "FSCK REPAIR TABLE <table> [DRY RUN]"

  val SortBy = "ALTER TABLE <table> SORT BY [LEXICAL | ZORDER] (col [, col]*)"

  val CreateSorted = "CREATE TABLE <table> (...) USING {parquet | delta} [SORT BY [LEXICAL | ZORDER] (col [, col]*)]"

  /** That of a statement that certainly is ours. */
  def of(words: Words): String = words(words.begin) match {
    case "OPTIMIZE" => Optimize
    case "DESCRIBE" | "DESC" => if (words(words.begin + 1) == "REWRITES") DescribeRewrites else DescribeLayout
    case "RESTORE" => Restore
    case "VACUUM" => Vacuum
    case "FSCK" => Repair
    case "ADVISE" => AdviseLayout
    case "ANALYZE" => Analyze
    case "ALTER" => SortBy
    case "SORT" => CreateSorted
    case _ => ExplainSkipping
  }
}
