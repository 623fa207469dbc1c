// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.ParseException

/** Slips in the statements that begin as statements of Spark's do. */
private[parser] final class OtherSlips(words: Words) extends Slips(words, "") {
  import OtherSlips._

  private val begin = words.begin

  override def find: Option[ParseException] = first(
    () => new SkippingSlips().find,
    () => new AnalyzeSlips().find,
    () => new AlterSlips().find,
    () => new CreateSlips().find)

  private final class SkippingSlips extends Slips(words, Forms.ExplainSkipping) {
    override def find: Option[ParseException] =
      if (words.are(0, "EXPLAIN", "SKIPPING")) query(2)
      else if (words(0) == "EXPLAIN")
        ifMisspelled(1, "SKIPPING").orElse(when(likeSkipping(words(1)) || words(2) == "SKIPPING") {
          misspelled(1, "SKIPPING")
        })
      else if (words(0) == "SKIPPING") when(words(1).nonEmpty)(misspelled(0, "EXPLAIN SKIPPING"))
      else when(words.near(0, "EXPLAIN") && words.near(1, "SKIPPING"))(misspelled(0, "EXPLAIN"))

    /** A query in quotes, a table in place of one, or a slip in its first word. */
    private def query(first: Int): Option[ParseException] = {
      val isAlone = Set("", ";")(words(words.afterName(first)))
      words.tokens.lift(first).filter(_.getType != Token.EOF).flatMap { token =>
        val text = token.getText
        if (token.getType == ZOrderSqlBaseParser.STRING) when(isAlone) {
          misspelled(first, text.stripPrefix("'").stripPrefix("\"").dropRight(1))
        }
        else
          firstWords.find(word => words(first) != word && words.near(first, word)) match {
            case Some(meant) => Some(misspelled(first, meant))
            case None =>
              when(isAlone && (text.head.isLetter || text.head == '`'))(misspelled(first, "SELECT * FROM <table>"))
          }
      }
    }
  }

  private final class AnalyzeSlips extends Slips(words, Forms.Analyze) {
    override def find: Option[ParseException] =
      if (!words.near(begin, "ANALYZE")) None
      else words.outer(begin + 1).find(i => words.near(i, "COMPUTE") && isFile(i + 1)).flatMap(afterCompute)

    private def isFile(i: Int): Boolean = words.near(i, "FILE") || words.near(i, "FILESTATISTICS")

    private def afterCompute(compute: Int): Option[ParseException] = {
      val columns = compute + 4
      first(
        () => ifMisspelled(begin, "ANALYZE"),
        () => when(words(begin + 1) != "TABLE")(misspelled(begin + 1, "TABLE")),
        () => ifMisspelled(compute, "COMPUTE"),
        () => when(words.near(compute + 1, "FILESTATISTICS"))(misspelled(compute + 1, "FILE STATISTICS")),
        () => ifMisspelled(compute + 1, "FILE"),
        () => when(words(compute + 2) != "STATISTICS")(misspelled(compute + 2, "STATISTICS")),
        () => when(words.are(compute + 3, "FOR", "COLUMN"))(misspelled(columns, "COLUMNS")),
        () => when(words.are(compute + 3, "FOR", "COLUMNS", "("))(misspelled(columns + 1, "FOR COLUMNS col, ...")),
        () =>
          when(words.are(compute + 3, "FOR") && words(columns) != "COLUMNS" && words(columns) != "ALL") {
            misspelled(columns, "COLUMNS")
          }
      )
    }
  }

  private final class AlterSlips extends Slips(words, Forms.SortBy) {
    override def find: Option[ParseException] =
      if (!words.are(begin, "ALTER", "TABLE")) None
      else {
        val clause = words.afterName(begin + 2)
        if (words.are(clause, "SORT", "BY")) list(clause + 2)
        else if (words(clause) == "SORT" && words(clause + 1) == "ZORDER") Some(misspelled(clause, "SORT BY ZORDER"))
        else if (words.are(clause, "ZORDER") || words.are(clause, "Z", "ORDER") || words.are(clause, "Z", "-"))
          Some(misspelled(clause, "SORT BY ZORDER"))
        else when((words(clause) == "SORTED" || words(clause) == "ORDER") && words(clause + 1) == "BY") {
          misspelled(clause, "SORT BY")
        }
      }

    private def list(order: Int): Option[ParseException] = {
      val open = if (words(order) == "LEXICAL" || words(order) == "ZORDER") order + 1 else order
      if (words(open) == "(") noColumn(open + 1, words.afterGroup(open) - 1)
      else if (words(open + 1) == "(") Some(misspelled(open, "LEXICAL or ZORDER"))
      else Some(misspelled(open, "(col, ...)"))
    }
  }

  private final class CreateSlips extends Slips(words, Forms.CreateSorted) {
    override def find: Option[ParseException] =
      if (words(begin) != "CREATE" && words(begin) != "REPLACE") None
      else
        words.outer(begin).flatMap { i =>
          if (words.are(i, "ZORDER", "BY")) Some(misspelled(i, "SORT BY ZORDER"))
          else if (words.are(i, "SORTED", "BY", "ZORDER") || words.are(i, "SORTED", "BY", "LEXICAL"))
            Some(misspelled(i, "SORT"))
          else None
        }.nextOption()
  }
}

private[parser] object OtherSlips {

  /** What a query begins with. */
  private val firstWords = Seq("SELECT", "WITH", "FROM", "VALUES", "TABLE")
  private val likeSkipping = Set("SKIP", "SKIPS", "SKIPPED", "SKIPPABLE")
}
