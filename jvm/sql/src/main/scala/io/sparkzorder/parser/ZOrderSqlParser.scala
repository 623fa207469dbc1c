// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import scala.util.Try

import io.sparkzorder.parser.SortedTable.SortBy

import org.antlr.v4.runtime.{BaseErrorListener, RecognitionException, Recognizer, Token}
import org.antlr.v4.runtime.atn.PredictionMode

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Parses the statements of this project and hands every other text to `delegate`, unchanged; of a table that has a
 * clause SORT BY, all but that clause.
 *
 * Only ParseException leaves this class: an outer parser (Delta's, when its extension is listed after ours) would
 * rewrap an AnalysisException and lose its condition.
 */
class ZOrderSqlParser(delegate: ParserInterface) extends ParserInterface {

  private val builder = new ZOrderAstBuilder(delegate)

  override def parsePlan(sqlText: String): LogicalPlan = parsed(sqlText, delegate.parsePlan, statement, sortBy)

  /**
   * The entry of `spark.sql` since Spark 4.1, with or without parameters.
   *
   * Spark's own parser takes them as they are, for its error positions. Another extension's may not override this
   * method and would then drop them (Delta 4.4.0 does), so it is given plain text.
   */
  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan =
    parsed(sqlText, others(_, context), statement(_, context), sortBy(_, context))

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
  private def parsed(
      sqlText: String,
      others: String => LogicalPlan,
      ours: String => LogicalPlan,
      clause: String => SortBy): LogicalPlan = {
    def statement(text: String): Option[LogicalPlan] =
      if (StatementRecognizer.isOurs(text)) Some(ours(text)) else SortedTable.of(text).map(_.plan(others, clause))
    val text = substitution.substitute(sqlText)
    statement(text)
      .orElse(ScriptWithOurs.of(text).map(_.plan(others, statement(_).get)))
      .getOrElse(understood(text, others(sqlText), others))
  }

  /**
   * A text of others. What no parser can read, by its syntax, was perhaps meant as a statement of ours: then the error
   * says so.
   */
  private def understood(text: String, parsed: => LogicalPlan, others: String => LogicalPlan): LogicalPlan =
    try parsed
    catch {
      case e: ParseException if e.getCondition == "PARSE_SYNTAX_ERROR" =>
        OptimizeSlips.withoutTableWord(text).flatMap(plain => Try(others(plain)).toOption).getOrElse {
          throw Slips.of(text).fold(e)(_.withCommand(text))
        }
    }

  private def others(sqlText: String, context: ParameterContext): LogicalPlan =
    if (isSparks || SQLConf.get.legacyParameterSubstitutionConstantsOnly)
      delegate.parsePlanWithParameters(sqlText, context)
    else {
      val text = substitution.substitute(sqlText)
      val bound =
        try ParameterHandler.substituteParameters(text, context)._1
        // Spark parses a text with a colon or a question mark anywhere in it. A statement that is not Spark's has no
        // markers that it could find.
        catch { case _: ParseException => text }
      delegate.parsePlan(bound)
    }

  private def substitution = new VariableSubstitution

  private val isSparks = delegate.isInstanceOf[AbstractSqlParser]

  private def statement(sqlText: String): LogicalPlan = located(sqlText)(builder.statement(tree(sqlText)))

  private def statement(sqlText: String, context: ParameterContext): LogicalPlan = located(sqlText) {
    val written = tree(sqlText)
    val bound =
      try ParameterSubstitution.substitute(sqlText, written, context)
      catch {
        case e: ParseException =>
          // A slip in one of the parts is better shown where it stands.
          builder.statement(written)
          throw e
      }
    builder.statement(tree(bound))
  }

  private def sortBy(sqlText: String): SortBy = builder.sortBy(grammar(sqlText).sortClause())

  private def sortBy(sqlText: String, context: ParameterContext): SortBy = context match {
    // The clause is parsed by itself, so that it cannot be known which of the positions are its own.
    case _: NamedParameterContext =>
      sortBy(ParameterSubstitution.substitute(sqlText, grammar(sqlText).sortClause(), context))
    case _ => sortBy(sqlText)
  }

  private def tree(sqlText: String): ZOrderSqlBaseParser.SingleStatementContext = grammar(sqlText).singleStatement()

  private def grammar(sqlText: String): ZOrderSqlBaseParser = {
    val parser = new ZOrderSqlBaseParser(SparkTokens.stream(sqlText))
    parser.removeErrorListeners()
    parser.addErrorListener(new SlipListener(sqlText))
    // LL at once: the grammar is small, and its predicate needs the full look-ahead.
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    parser
  }

  /** Whichever parser found an error, it shows the whole statement. A clause at a wrong place is named. */
  private def located(sqlText: String)(parsed: => LogicalPlan): LogicalPlan =
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
