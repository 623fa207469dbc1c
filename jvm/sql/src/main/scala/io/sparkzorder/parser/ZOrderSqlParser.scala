// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import scala.util.Try

import io.sparkzorder.parser.SortedTable.SortBy

import org.antlr.v4.runtime.{BaseErrorListener, ParserRuleContext, RecognitionException, Recognizer, Token}
import org.antlr.v4.runtime.atn.PredictionMode

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Parses the statements of this project and hands every other text to `delegate`, unchanged; of a table that has a
 * clause SORT BY, all but that clause.
 *
 * Only ParseException leaves this class: an outer parser (Delta's, when its extension is listed after ours) would
 * rewrap an AnalysisException and lose its condition.
 */
class ZOrderSqlParser(private[parser] val delegate: ParserInterface) extends ParserWithParameters {

  private[parser] val builder = new ZOrderAstBuilder(delegate)

  override def parsePlan(sqlText: String): LogicalPlan = parsed(sqlText, delegate.parsePlan, statement, sortBy)

  /**
   * Understands the text with `${...}` replaced, and hands what is not ours on as it came.
   *
   * @param others
   *   parses statements of others
   * @param ours
   *   parses our statements
   * @param clause
   *   parses the clause SORT BY in a statement of others
   */
  private[parser] def parsed(
      sqlText: String,
      others: String => LogicalPlan,
      ours: String => LogicalPlan,
      clause: String => SortBy): LogicalPlan = {
    def statement(text: String): Option[LogicalPlan] =
      if (StatementRecognizer.isOurs(text)) Some(ours(text)) else SortedTable.of(text).map(_.plan(others, clause))
    val text = substitution.substitute(sqlText)
    statement(text)
      .orElse(ScriptWithOurs.of(text).map(_.plan(
        others,
        t => statement(t).getOrElse(understood(t, others(t), others, ours)))))
      .getOrElse(understood(text, others(sqlText), others, ours))
  }

  /** A statement of ours, whether or not another parser could read it; None for any other text. */
  private[sparkzorder] def ours(sqlText: String): Option[LogicalPlan] =
    if (StatementRecognizer.isOurs(sqlText) || StatementRecognizer.isCompaction(sqlText)) Some(statement(sqlText))
    else None

  /**
   * A text of others. What no parser can read, by its syntax, is perhaps an OPTIMIZE without ZORDER, which is Delta's where
   * Delta's parser reads it; or it was meant as a statement of ours: then the error says so.
   */
  private def understood(
      text: String,
      parsed: => LogicalPlan,
      others: String => LogicalPlan,
      ours: String => LogicalPlan): LogicalPlan =
    try parsed
    catch {
      case e: ParseException if e.getCondition == "PARSE_SYNTAX_ERROR" =>
        OptimizeSlips.withoutTableWord(text).flatMap(plain => Try(others(plain)).toOption).getOrElse {
          if (StatementRecognizer.isCompaction(text)) ours(text)
          else throw Slips.of(text).fold(e)(_.withCommand(text))
        }
    }

  private[parser] def substitution = new VariableSubstitution

  private def statement(sqlText: String): LogicalPlan = located(sqlText)(builder.statement(tree(sqlText)))

  private[parser] def sortBy(sqlText: String): SortBy = builder.sortBy(grammar(sqlText).sortClause())

  /** The parse tree of a statement of ours. */
  private[parser] def tree(sqlText: String): ParserRuleContext =
    if (!StatementRecognizer.isOurs(sqlText) && StatementRecognizer.isCompaction(sqlText))
      grammar(sqlText).singleCompaction()
    else grammar(sqlText).singleStatement()

  private[parser] def grammar(sqlText: String): ZOrderSqlBaseParser = {
    val parser = new ZOrderSqlBaseParser(SparkTokens.stream(sqlText))
    parser.removeErrorListeners()
    parser.addErrorListener(new SlipListener(sqlText))
    // LL at once: the grammar is small, and its predicate needs the full look-ahead.
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    parser
  }

  /** Whichever parser found an error, it shows the whole statement. A clause at a wrong place is named. */
  private[parser] def located(sqlText: String)(parsed: => LogicalPlan): LogicalPlan =
    try parsed
    catch {
      case e: ParseException =>
        val clearer = if (e.getCondition == "PARSE_SYNTAX_ERROR") Slips.of(sqlText).getOrElse(e) else e
        throw clearer.withCommand(sqlText)
    }

  override def parseQuery(sqlText: String): LogicalPlan = delegate.parseQuery(sqlText)

  override def parseExpression(sqlText: String): Expression = delegate.parseExpression(sqlText)

  override def parseTableIdentifier(sqlText: String): TableIdentifier = delegate.parseTableIdentifier(sqlText)

  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier = delegate.parseFunctionIdentifier(sqlText)

  override def parseMultipartIdentifier(sqlText: String): Seq[String] = delegate.parseMultipartIdentifier(sqlText)

  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)

  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)

  override def parseRoutineParam(sqlText: String): StructType = delegate.parseRoutineParam(sqlText)
}

/** Makes the errors of our grammar. */
private final class SlipListener(sqlText: String) extends BaseErrorListener {

  override def syntaxError(
      recognizer: Recognizer[_, _],
      offending: Any,
      line: Int,
      position: Int,
      message: String,
      cause: RecognitionException): Unit = throw Slips.inOurs(sqlText, offending.asInstanceOf[Token])
}
