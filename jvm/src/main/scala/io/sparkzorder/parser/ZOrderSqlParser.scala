// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.antlr.v4.runtime.atn.PredictionMode

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Parses the statements of this project and hands every other text to `delegate`, unchanged.
 *
 * Only ParseException leaves this class: an outer parser (Delta's, when its extension is listed after ours) would
 * rewrap an AnalysisException and lose its condition.
 */
class ZOrderSqlParser(delegate: ParserInterface) extends ParserInterface {

  private val builder = new ZOrderAstBuilder(delegate)

  override def parsePlan(sqlText: String): LogicalPlan = understood(sqlText) match {
    case Some(Left(ours)) => statement(ours)
    case Some(Right(script)) => script.plan(delegate.parsePlan, statement)
    case None => delegate.parsePlan(sqlText)
  }

  /**
   * The entry of `spark.sql` since Spark 4.1, with or without parameters.
   *
   * Spark's own parser takes them as they are, for its error positions. Another extension's may not override this
   * method and would then drop them (Delta 4.4.0 does), so it is given plain text.
   */
  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan =
    understood(sqlText) match {
      case Some(Left(ours)) => statement(ours, context)
      case Some(Right(script)) => script.plan(others(_, context), statement(_, context))
      case None => others(sqlText, context)
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

  /** The text with `${...}` replaced, if it is one of our statements or a script that holds some. */
  private def understood(sqlText: String): Option[Either[String, ScriptWithOurs]] = {
    val text = substitution.substitute(sqlText)
    if (StatementRecognizer.isOurs(text)) Some(Left(text)) else ScriptWithOurs.of(text).map(Right(_))
  }

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

  private def tree(sqlText: String): ZOrderSqlBaseParser.SingleStatementContext = {
    val parser = new ZOrderSqlBaseParser(SparkTokens.stream(sqlText))
    parser.removeErrorListeners()
    parser.addErrorListener(ParseErrorListener)
    // LL at once: the grammar is small, and its predicate needs the full look-ahead.
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    parser.singleStatement()
  }

  /** Whichever parser found an error, it shows the whole statement. */
  private def located(sqlText: String)(parsed: => LogicalPlan): LogicalPlan =
    try parsed
    catch { case e: ParseException => throw e.withCommand(sqlText) }

  override def parseQuery(sqlText: String): LogicalPlan = delegate.parseQuery(sqlText)

  override def parseExpression(sqlText: String): Expression = delegate.parseExpression(sqlText)

  override def parseTableIdentifier(sqlText: String): TableIdentifier = delegate.parseTableIdentifier(sqlText)

  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier = delegate.parseFunctionIdentifier(sqlText)

  override def parseMultipartIdentifier(sqlText: String): Seq[String] = delegate.parseMultipartIdentifier(sqlText)

  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)

  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)

  override def parseRoutineParam(sqlText: String): StructType = delegate.parseRoutineParam(sqlText)
}
