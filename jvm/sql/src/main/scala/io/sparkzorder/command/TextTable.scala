// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.sql.zorder.SparkInternals
import org.apache.spark.unsafe.types.UTF8String

/** Cuts texts so that the table that `show` and `spark-sql` print fits a terminal. Widths are those on a screen. */
private[command] object TextTable {

  /** Characters of a line. */
  val Width = 120

  // A name must stay recognizable, whatever stands beside it.
  private val LeastName = 8

  // A date, and that there is more.
  private val LeastBound = 11

  /**
   * Cuts texts of some columns, as far as that is needed for the table to fit.
   *
   * @param names
   *   names of the columns
   * @param rows
   *   values, one for each column
   * @param inside
   *   number of the column whose texts are cut first, in their middle
   * @param ends
   *   numbers of those whose texts are cut if that is not enough, one after the other, at their ends
   */
  def fit(names: Seq[String], rows: Seq[Seq[Any]], inside: Int, ends: Seq[Int] = Nil): Seq[Seq[Any]] = {
    val named = shrink(names, rows, inside, LeastName)(cutInside)
    ends.foldLeft(named)((cutSoFar, column) => shrink(names, cutSoFar, column, LeastBound)(cut))
  }

  private def shrink(names: Seq[String], rows: Seq[Seq[Any]], column: Int, least: Int)(
      cutTo: (String, Int) => String): Seq[Seq[Any]] = {
    val widths = names.indices.map(i => (names(i) +: rows.map(r => String.valueOf(r(i)))).map(width).max)
    // As show draws it: a bar on either side of each column, and nothing between bar and text.
    val others = widths.patch(column, Nil, 1).sum + names.size + 1
    val room = math.max(least, Width - others)
    rows.map(row => row.updated(column, Option(row(column)).map(text => cutTo(text.toString, room)).orNull))
  }

  /** The text without line breaks and the like, its end cut off if it is too wide; null for null. */
  def cut(text: String, most: Int): String =
    if (text == null) null
    else {
      val line = SparkInternals.inOneLine(text)
      if (width(line) <= most) line else s"${start(line, most - 1)}…"
    }

  /** Beginning and end of a text that is too wide: fields of one struct differ at the end of their names. */
  private def cutInside(text: String, most: Int): String =
    if (width(text) <= most) text
    else {
      val end = start(text.reverse, (most - 1) / 2).reverse
      s"${start(text, most - 1 - width(end))}…$end"
    }

  /** The longest beginning of so much width. */
  private def start(text: String, most: Int): String = {
    val ends = Iterator.iterate(0)(text.offsetByCodePoints(_, 1)).take(text.codePointCount(0, text.length) + 1)
    text.take(ends.takeWhile(end => width(text.take(end)) <= most).foldLeft(0)((_, end) => end))
  }

  private def width(text: String): Int = SparkInternals.width(text)
}

/** Prints values as `CAST(value AS STRING)` does. */
private[command] object ValueText {

  /** @return null for null */
  def of(value: Any, dataType: DataType, conf: SQLConf): String =
    Cast(Literal(value, dataType), StringType, Some(conf.sessionLocalTimeZone), ansiEnabled = false).eval() match {
      case null => null
      case text => text.asInstanceOf[UTF8String].toString
    }
}
