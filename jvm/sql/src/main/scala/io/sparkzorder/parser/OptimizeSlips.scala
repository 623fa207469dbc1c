// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.parser.ParseException

/** Slips in `OPTIMIZE ... [ZORDER BY]`. */
private[parser] final class OptimizeSlips(words: Words) extends Slips(words, Forms.Optimize) {
  import OptimizeSlips._

  private val begin = words.begin

  private val table = if (isTableWord(words)) begin + 2 else begin + 1
  private val afterTable = words.afterName(table)

  /** Where `ZORDER BY` is. */
  private val zorder: Option[Int] = words.outer(table + 1).find(words.are(_, "ZORDER", "BY"))

  private val afterColumns: Int = zorder.fold(words.tokens.size) { z =>
    if (words(z + 2) == "(") words.afterGroup(z + 2)
    else words.outer(z + 2).find(i => clauses(words(i)) || beginsOptions(i)).getOrElse(words.tokens.size)
  }

  override def find: Option[ParseException] =
    if (words.are(begin, "DRY", "RUN", "OPTIMIZE")) Some(outOfOrder(begin, "OPTIMIZE <table>", "DRY RUN"))
    else if (words(begin) != "OPTIMIZE") ifMisspelled(begin, "OPTIMIZE")
    else if (words.are(table, "DRY", "RUN") && words(table + 2).nonEmpty && words(table + 2) != "ZORDER")
      Some(outOfOrder(table, "<table> ZORDER BY (col, ...)", "DRY RUN"))
    else if (words(table).isEmpty) None
    else if (words.are(table, "ZORDER", "BY")) Some(misspelled(table, "<table> ZORDER BY"))
    else if (zorder.isEmpty) first(() => path(table), () => where(afterTable), () => likeZOrder, () => withoutZOrder)
    else first(() => path(table), () => order, () => where(afterTable), () => columns, () => options, () => dryRun)

  /** `ZORDR BY`, `Z-ORDER BY`, `Z ORDER BY`, `ORDER BY`, `CLUSTER BY`, `ZORDER (a)`. */
  private def likeZOrder: Option[ParseException] =
    words.outer(afterTable).find { i =>
      val by = words(i + 1) == "BY" || words(i + 1) == "("
      words.are(i, "Z", "-", "ORDER") || words.are(i, "Z", "ORDER") ||
      (otherClauses(words(i)) && words(i + 1) == "BY") ||
      (words.near(i, "ZORDER") && (by || words(i) == "ZORDER" || i == afterTable)) || words.near(i, "ZORDERBY")
    }.filterNot(i => words(i) == "ZORDER" && ends(i + 1)).map(misspelled(_, "ZORDER BY"))

  /** Nothing but a table and what nobody could read; what is wrong with a predicate Spark's parser knows. */
  private def withoutZOrder: Option[ParseException] = {
    val clauses = words.outer(afterTable).toSeq
    val dry = clauses.find(words.are(_, "DRY", "RUN"))
    val ours = dry.isDefined || clauses.exists(i => beginsOptions(i) || words(i) == "ZORDER")
    first(
      () => clauses.find(i => beginsOptions(i) && dry.exists(_ < i)).map(outOfOrder(_, "OPTIONS", "DRY RUN")),
      () => options,
      () => dryRun,
      () => when(!ours && words(afterTable) != "WHERE")(misspelled(afterTable, "ZORDER BY (col, ...)"))
    )
  }

  private def order: Option[ParseException] = {
    val (before, after) = (words.outer(afterTable).takeWhile(_ < zorder.get).toSeq, words.outer(afterColumns).toSeq)
    val dry = after.find(words.are(_, "DRY", "RUN"))
    first(
      () => before.find(beginsOptions).map(outOfOrder(_, "ZORDER BY (col, ...)", "OPTIONS")),
      () => before.find(words.are(_, "DRY", "RUN")).map(outOfOrder(_, "ZORDER BY (col, ...)", "DRY RUN")),
      () => after.find(words(_) == "WHERE").map(outOfOrder(_, "WHERE", "ZORDER BY")),
      () => after.find(i => beginsOptions(i) && dry.exists(_ < i)).map(outOfOrder(_, "OPTIONS", "DRY RUN"))
    )
  }

  private def columns: Option[ParseException] = noColumn(zorder.get + 2, afterColumns)

  private def options: Option[ParseException] = words.outer(math.min(afterColumns, afterTable))
    .find(i => i >= afterTable && beginsOptions(i) && words(i) != "OPTIONS").map(misspelled(_, "OPTIONS"))

  private def dryRun: Option[ParseException] = words.outer(afterTable).find { i =>
    val isLike = words.near(i, "DRY") && words.near(i + 1, "RUN") && !words.are(i, "DRY", "RUN")
    isLike || words.are(i, "DRY", "-", "RUN") || words(i).replace("_", "") == "DRYRUN" ||
    (words(i) == "WITH" && words.are(i + 1, "DRY", "RUN")) || (words(i) == "DRY" && Set("", ";")(words(i + 1)))
  }.map(misspelled(_, "DRY RUN"))

  private def beginsOptions(i: Int): Boolean =
    words(i + 1) == "(" && (likeOptions(words(i)) || words.near(i, "OPTIONS"))

  /** Whether the table's own order may be meant by a ZORDER in front of it. */
  private def ends(i: Int): Boolean = words(i).isEmpty || words(i) == ";" || clauses(words(i)) || beginsOptions(i)
}

private[parser] object OptimizeSlips {

  private val clauses = Set("OPTIONS", "DRY", "WHERE", ";")
  private val likeOptions = Set("WITH", "SET", "SETTINGS", "PROPERTIES", "TBLPROPERTIES")
  private val otherClauses = Set("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "HILBERT", "INTERLEAVE")

  /** Whether the word TABLE stands in front of a table, as in other statements; a table may be called so. */
  private def isTableWord(words: Words): Boolean = {
    val next = words(words.begin + 2)
    words(words.begin + 1) == "TABLE" && next.nonEmpty && next != "." && next != "(" && !clauses(next) &&
    !(next == "ZORDER" && !words.are(words.begin + 3, "ZORDER"))
  }

  /** `OPTIMIZE TABLE t` without the word TABLE, which neither Delta's statement nor ours had; None of other texts. */
  def withoutTableWord(sqlText: String): Option[String] = {
    val words = Words.of(sqlText)
    if (words(words.begin) != "OPTIMIZE" || !isTableWord(words)) None
    else {
      val word = words.tokens(words.begin + 1)
      val (start, end) = SparkTokens.span(sqlText, word, word)
      Some(sqlText.substring(0, start) + SparkTokens.blank(sqlText.substring(start, end)) + sqlText.substring(end))
    }
  }
}
