// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparkzorder.parser.ZOrderSqlBaseParser.SEMICOLON

import org.antlr.v4.runtime.{CommonTokenStream, ListTokenSource, Token}

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * A script (`BEGIN ... END`) with statements of ours in it, or with tables that have a clause of ours.
 *
 * Spark parses a script as a whole, and does not know our statements. So it is given the script with a stand-in for
 * each of them, a statement of its own, whose plan is then replaced.
 *
 * @param places
 *   begin and end of our statements in the script, in UTF-16 units
 */
private[parser] final class ScriptWithOurs(script: String, places: Seq[(Int, Int)]) {

  // Such a name as nothing in the script has.
  private val hash = Iterator.iterate("#")(_ + "#").find(h => !script.contains(s"`$h")).get

  private def name(number: Int): String = s"$hash$number"

  /**
   * @param whole
   *   parses a script
   * @param statement
   *   parses one of our statements, in a text that is blank up to where it begins
   */
  def plan(whole: String => LogicalPlan, statement: String => LogicalPlan): LogicalPlan = {
    val ours = places.zipWithIndex.map { case ((start, end), number) =>
      val text = SparkTokens.blank(script.substring(0, start)) + script.substring(start, end)
      val parsed =
        try statement(text)
        catch { case e: ParseException => throw e.withCommand(script) }
      name(number) -> ScriptPlans.Replacement(parsed, script, start, end - 1)
    }
    // In a script without statements of ours, a name of others may be like one: then it is read without stand-ins.
    val found =
      try whole(withStandIns)
      catch { case e: ParseException => Try(whole(script)).getOrElse(throw e) }
    found match {
      case body: CompoundBody => new ScriptPlans(ours.toMap).body(body)
      case other => other
    }
  }

  /** The script with stand-ins, each with blanks after it up to where the statement ended. */
  private def withStandIns: String =
    places.zipWithIndex.reverse.foldLeft(script) { case (text, ((start, end), number)) =>
      val standIn = s"TABLE `${name(number)}`"
      val blanks = SparkTokens.blank(script.substring(start, end).drop(standIn.length))
      text.substring(0, start) + standIn + blanks + text.substring(end)
    }
}

private[parser] object ScriptWithOurs {

  /** What a statement in a script can follow, besides the end of another. */
  private val before = Set("BEGIN", "ATOMIC", "THEN", "ELSE", "DO", "REPEAT", "LOOP")

  /** None for a text that is no script, and for a script of other statements only. */
  def of(sqlText: String): Option[ScriptWithOurs] =
    if (!isScript(sqlText)) None
    else {
      val places = segments(SparkTokens.of(sqlText).toList).flatMap(statement).map { case (first, last) =>
        SparkTokens.span(sqlText, first, last)
      }
      if (places.isEmpty) None else Some(new ScriptWithOurs(sqlText, places))
    }

  private def isScript(sqlText: String): Boolean = {
    val tokens = new SparkTokens(sqlText)
    def next() = text(tokens.nextToken())
    // It may have a label.
    next() == "BEGIN" || (next() == ":" && next() == "BEGIN")
  }

  private def text(token: Token): String =
    if (token.getType == Token.EOF) "" else token.getText.toUpperCase(Locale.ROOT)

  /** The tokens between semicolons. */
  @scala.annotation.tailrec
  private def segments(tokens: List[Token], found: List[List[Token]] = Nil): List[List[Token]] =
    if (tokens.isEmpty) found.reverse
    else {
      val (segment, rest) = tokens.span(_.getType != SEMICOLON)
      segments(rest.drop(1), segment :: found)
    }

  /** The first and last token of a statement of ours that ends with the segment. */
  private def statement(segment: List[Token]): Option[(Token, Token)] = {
    val isHandler = segment.exists(text(_) == "HANDLER")
    segment.tails.filter(_.nonEmpty).zipWithIndex.collectFirst {
      case (rest, i) if (i == 0 || isHandler || before(text(segment(i - 1)))) && isOurs(rest) =>
        (rest.head, rest.last)
    }
  }

  private def isOurs(tokens: List[Token]): Boolean = {
    def stream = new CommonTokenStream(new ListTokenSource(tokens.asJava))
    StatementRecognizer.isOurs(stream) || StatementRecognizer.isCompaction(stream) ||
    new SortClause(tokens.toIndexedSeq).places.nonEmpty
  }
}

/**
 * Replaces the stand-ins in the plan of a script. Its plans are no trees that `transform` could change: a statement's
 * plan is no child, and a body that is given new children loses its handlers.
 *
 * @param ours
 *   the plans of our statements, by the name of the table that the stand-in reads
 */
private[parser] final class ScriptPlans(ours: Map[String, ScriptPlans.Replacement]) {

  def body(plan: CompoundBody): CompoundBody = plan.copy(
    collection = plan.collection.map(statement),
    handlers = plan.handlers.map(h => h.copy(body = body(h.body))))

  private def statement(plan: CompoundPlanStatement): CompoundPlanStatement = plan match {
    case single @ SingleStatement(UnresolvedRelation(Seq(name), _, _)) if ours.contains(name) =>
      val replacement = ours(name)
      val origin = single.origin.copy(
        sqlText = Some(replacement.script),
        startIndex = Some(replacement.start),
        stopIndex = Some(replacement.stop))
      CurrentOrigin.withOrigin(origin)(SingleStatement(replacement.plan))
    case p: CompoundBody => body(p)
    case p: IfElseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: SearchedCaseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: SimpleCaseStatement =>
      p.copy(conditionalBodies = p.conditionalBodies.map(body), elseBody = p.elseBody.map(body))
    case p: WhileStatement => p.copy(body = body(p.body))
    case p: RepeatStatement => p.copy(body = body(p.body))
    case p: LoopStatement => p.copy(body = body(p.body))
    case p: ForStatement => p.copy(body = body(p.body))
    case other => other
  }
}

private[parser] object ScriptPlans {

  /**
   * A statement of ours.
   *
   * @param start
   *   the position of its first character in the script, in UTF-16 units
   * @param stop
   *   the position of its last
   */
  final case class Replacement(plan: LogicalPlan, script: String, start: Int, stop: Int)
}
