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

  override def parsePlan(sqlText: String): LogicalPlan = ours(sqlText) match {
    case Some(text) => parse(text)
    case None => delegate.parsePlan(sqlText)
  }

  /**
   * The entry of `spark.sql` since Spark 4.1, with or without parameters.
   *
   * Spark's own parser takes them as they are, for its error positions. Another extension's may not override this method
   * and would then drop them (Delta 4.4.0 does), so it is given plain text.
   */
  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan = ours(sqlText) match {
    case Some(text) => parse(ParameterSubstitution.substitute(text, context))
    case None if isSparks || SQLConf.get.legacyParameterSubstitutionConstantsOnly =>
      delegate.parsePlanWithParameters(sqlText, context)
    case None =>
      delegate.parsePlan(ParameterHandler.substituteParameters(substitution.substitute(sqlText), context)._1)
  }

  private def substitution = new VariableSubstitution

  private val isSparks = delegate.isInstanceOf[AbstractSqlParser]

  /** The text with `${...}` replaced, if the statement is one of ours. */
  private def ours(sqlText: String): Option[String] = Some(substitution.substitute(sqlText)).filter(Ownership.isOurs)

  private def parse(sqlText: String): LogicalPlan = {
    val tokens = Tokens.stream(sqlText)
    val parser = new ZOrderSqlBaseParser(tokens)
    parser.removeErrorListeners()
    parser.addErrorListener(ParseErrorListener)
    // LL at once: the grammar is small, and its predicate needs the full look-ahead.
    parser.getInterpreter.setPredictionMode(PredictionMode.LL)
    try builder.statement(parser.singleStatement())
    catch {
      // Whichever parser found the error, it shows the whole statement.
      case e: ParseException => throw e.withCommand(sqlText)
    }
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
