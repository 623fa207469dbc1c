// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.sql.catalyst.parser.ParseException

/** Slips in `DESCRIBE LAYOUT`. */
private[parser] final class LayoutSlips(words: Words) extends Slips(words, Forms.DescribeLayout) {

  private val begin = words.begin
  private val isDescribe = words(begin) == "DESCRIBE" || words(begin) == "DESC"
  private val layout = begin + 1

  override def find: Option[ParseException] =
    if (words(begin) == "LAYOUT") when(words(layout).nonEmpty)(misspelled(begin, "DESCRIBE LAYOUT"))
    else if (!words.near(layout, "LAYOUT") || isTable) None
    else if (!isDescribe)
      when(words(begin) == "SHOW" || words.near(begin, "DESCRIBE"))(misspelled(begin, "DESCRIBE LAYOUT"))
    else ifMisspelled(layout, "LAYOUT").orElse(afterLayout)

  /** `DESCRIBE payouts PARTITION (p = 1)`, `SHOW payouts`: a slip in a statement of Spark's. */
  private def isTable: Boolean =
    words(layout) != "LAYOUT" && Set("", ";", ".", "PARTITION")(words(layout + 1))

  private def afterLayout: Option[ParseException] = {
    val extended = words.near(layout + 1, "EXTENDED") && words(layout + 2).nonEmpty && !clauses(words(layout + 2))
    val table = if (extended) layout + 2 else layout + 1
    val afterTable = words.afterName(table)
    if (extended && words(layout + 1) != "EXTENDED") Some(misspelled(layout + 1, "EXTENDED"))
    else if (words(table) == "TABLE" && !Set("", ";", ".", "ON", "WHERE")(words(table + 1)))
      Some(misspelled(table, "LAYOUT <table>"))
    else
      first(
        () => path(table),
        () => when(words(afterTable) == "EXTENDED")(outOfOrder(afterTable, "EXTENDED", "<table>")),
        () => where(afterTable),
        () => order(Seq("ON" -> "ON (col, ...)", "WHERE" -> "WHERE"), words.outer(afterTable).toSeq),
        () => columns(afterTable)
      )
  }

  private def columns(list: Int): Option[ParseException] = words(list) match {
    case "(" | "BY" | "FOR" | "COLUMN" | "COLUMNS" | "USING" | "ZORDER" => Some(misspelled(list, "ON (col, ...)"))
    case "ON" if words(list + 1) == "(" =>
      val end = words.afterGroup(list + 1)
      noColumn(list + 2, end - 1).orElse(where(end))
    case "ON" => Some(misspelled(list, "ON (col, ...)"))
    case _ => None
  }

  private def clauses(word: String): Boolean = Set(";", ".", "ON", "WHERE", "(")(word)
}

/** Slips in `ADVISE LAYOUT`. */
private[parser] final class AdviseSlips(words: Words) extends Slips(words, Forms.AdviseLayout) {

  private val begin = words.begin

  override def find: Option[ParseException] =
    if (words(begin) != "ADVISE") when(words.near(begin, "ADVISE") && words.near(begin + 1, "LAYOUT")) {
      misspelled(begin, "ADVISE")
    }
    else if (words(begin + 1) != "LAYOUT") Some(misspelled(begin + 1, "LAYOUT"))
    else {
      val clauses = words.outer(words.afterName(begin + 2)).toSeq
      first(
        () => path(begin + 2),
        () => where(words.afterName(begin + 2)),
        () => without("ON", "ON (col, ...)", clauses),
        () => without("FOR", "FOR (<query>)", clauses),
        () => order(AdviseSlips.clauses, clauses),
        () => clauses.find(i => words(i) != "OPTIONS" && words.near(i, "OPTIONS")).map(misspelled(_, "OPTIONS"))
      )
    }

  /** A clause the list of which stands in no parentheses. */
  private def without(clause: String, meant: String, places: Seq[Int]): Option[ParseException] =
    places.find(i => words(i) == clause && words(i + 1) != "(").map(misspelled(_, meant))
}

private[parser] object AdviseSlips {

  private val clauses =
    Seq("ON" -> "ON (col, ...)", "FOR" -> "FOR (<query>)", "WHERE" -> "WHERE", "OPTIONS" -> "OPTIONS (...)")
}
