// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.errors.ZOrderErrors

import org.antlr.v4.runtime.Token

import org.apache.spark.sql.catalyst.parser.{ParseException, ParserUtils}
import org.apache.spark.sql.catalyst.trees.Origin

/**
 * What is wrong with a text that no parser can read, if it was probably meant as a certain statement of ours. The first
 * slip is named, with the form of the statement.
 *
 * @param form
 *   the statement in a line
 */
private[parser] abstract class Slips(words: Words, form: String) {

  /** None where the text has too little in common with the statement. */
  def find: Option[ParseException]

  /** The first slip of these that there is. */
  protected def first(slips: (() => Option[ParseException])*): Option[ParseException] =
    slips.iterator.flatMap(_.apply()).nextOption()

  protected def when(is: Boolean)(slip: => ParseException): Option[ParseException] = if (is) Some(slip) else None

  /** `meant` should stand in place of the word, or in front of it. */
  protected def misspelled(i: Int, meant: String): ParseException =
    ZOrderErrors.misspelled(found(i), meant, form, place(i))

  /** The word should be `meant`, and is only like it. */
  protected def ifMisspelled(i: Int, meant: String): Option[ParseException] =
    when(words(i) != meant && words.near(i, meant))(misspelled(i, meant))

  /** The word begins `later`, in front of which `clause` should stand. */
  protected def outOfOrder(i: Int, clause: String, later: String): ParseException =
    ZOrderErrors.outOfOrder(found(i), clause, later, form, place(i))

  /** What stands in a list of columns, from one place to another, and is no column. */
  protected def noColumn(from: Int, until: Int): Option[ParseException] =
    (from until math.min(until, words.tokens.size)).find { i =>
      val isCall = words(i + 1) == "(" && words(i) != "IDENTIFIER" && words(i).head.isLetter
      val isText = words.tokens(i).getType == ZOrderSqlBaseParser.STRING && !words.are(i - 2, "IDENTIFIER", "(")
      val isDirection = Slips.directions(words(i)) && i > from && words(i - 1) != "," && words(i - 1) != "("
      isCall || isText || isDirection || Slips.signs(words(i))
    }.map(i => ZOrderErrors.noColumnName(found(i), form, place(i)))

  /** What is no name and stands without quotes: `/data/t`, `parquet./data/t`, `parquet.'/data/t'`, `my-table`. */
  protected def path(table: Int): Option[ParseException] = {
    val adjacent = (table + 1 until words.tokens.size).takeWhile { i =>
      words.tokens(i).getStartIndex == words.tokens(i - 1).getStopIndex + 1 && !Set("(", ")", ",", ";")(words(i))
    }
    val written = (table +: adjacent).flatMap(words.tokens.lift).map(_.getText).mkString
    val isName = !written.exists("/-".contains(_)) || "'\"`".contains(written.head) || written.contains(".`")
    when(!isName)(misspelled(
      table,
      written match {
        case Slips.formatAndPath(format, path) => s"$format.`$path`"
        case path if path.contains('/') => s"'$path'"
        case name => name.split('.').map(part => if (part.contains('-')) s"`$part`" else part).mkString(".")
      }
    ))
  }

  /** As in statements of Spark's, PARTITION (day = 1); or a slip in WHERE. */
  protected def where(afterTable: Int): Option[ParseException] =
    if (words.are(afterTable, "PARTITION", "(")) Some(misspelled(afterTable, "WHERE <predicate>"))
    else ifMisspelled(afterTable, "WHERE")

  /**
   * A clause after one that it belongs in front of.
   *
   * @param order
   *   clauses with their forms, in the order of the statement
   * @param places
   *   where a clause may begin
   */
  protected def order(order: Seq[(String, String)], places: Seq[Int]): Option[ParseException] = {
    val clauses = order.map(_._1)
    val found = places.filter(i => clauses.contains(words(i)))
    found.zip(found.drop(1)).collectFirst {
      case (before, i) if clauses.indexOf(words(i)) < clauses.indexOf(words(before)) =>
        outOfOrder(i, order(clauses.indexOf(words(i)))._2, words(before))
    }
  }

  private def found(i: Int): String = Slips.shown(words.tokens.lift(i))

  private def place(i: Int): Origin = Slips.place(words.tokens.lift(i).orElse(words.tokens.lastOption))
}

private[parser] object Slips {

  private val signs = Set("*", "+", "-", "/", "%", "||", "[", "::")
  private val formatAndPath = "(?i)(parquet|delta)\\.['\"]?([^'\"]*/[^'\"]*)['\"]?".r
  private val directions = Set("ASC", "DESC", "NULLS")

  private def shown(token: Option[Token]): String =
    token.filter(_.getType != Token.EOF).fold("the end of the statement")(t => s"'${t.getText}'")

  private def place(token: Option[Token]): Origin = token.fold(Origin())(ParserUtils.position)

  /** What was probably meant by a text that no parser can read; None where it is like no statement of ours. */
  def of(sqlText: String): Option[ParseException] = of(Words.of(sqlText))

  private def of(words: Words): Option[ParseException] =
    Iterator(new OptimizeSlips(words), new LayoutSlips(words), new AdviseSlips(words), new OtherSlips(words))
      .flatMap(_.find).nextOption()

  /**
   * What is wrong with a statement that certainly is ours.
   *
   * @param token
   *   at which our grammar could not go on
   */
  def inOurs(sqlText: String, token: Token): ParseException = {
    val words = Words.of(sqlText)
    of(words).getOrElse(ZOrderErrors.unexpected(shown(Some(token)), Forms.of(words), place(Some(token))))
  }
}
