// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.compat

import io.sparkzorder.parser.{SortClause, StatementRecognizer}

import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParameterContext, ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * Refuses our statements and hands every other text to `delegate`, unchanged.
 *
 * No stand-in made by reflection: the JVM wraps what such a one throws, and most of Spark's errors are checked
 * exceptions that its interface does not declare. Methods that a Spark does not have are never called there.
 *
 * @param refusal
 *   makes the error for each of our statements
 */
private[compat] class OtherSparkParser(delegate: ParserInterface, refusal: () => Exception) extends ParserInterface {

  private def refusingOurs(sqlText: String)(parse: => LogicalPlan): LogicalPlan = {
    if (is(StatementRecognizer.isOurs(sqlText))) throw refusal()
    try parse
    catch {
      // A clause of ours in a statement of Spark's, which cannot read it.
      case _: ParseException if is(SortClause.places(sqlText).nonEmpty) => throw refusal()
    }
  }

  private def is(found: => Boolean): Boolean =
    try found
    catch {
      // Text that is not ours to read, or an ANTLR that cannot read our grammar: the next parser has the word.
      case _: Exception | _: LinkageError => false
    }

  override def parsePlan(sqlText: String): LogicalPlan = refusingOurs(sqlText)(delegate.parsePlan(sqlText))

  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan =
    refusingOurs(sqlText)(delegate.parsePlanWithParameters(sqlText, context))

  override def parseQuery(sqlText: String): LogicalPlan = delegate.parseQuery(sqlText)

  override def parseExpression(sqlText: String): Expression = delegate.parseExpression(sqlText)

  override def parseTableIdentifier(sqlText: String): TableIdentifier = delegate.parseTableIdentifier(sqlText)

  override def parseFunctionIdentifier(sqlText: String): FunctionIdentifier = delegate.parseFunctionIdentifier(sqlText)

  override def parseMultipartIdentifier(sqlText: String): Seq[String] = delegate.parseMultipartIdentifier(sqlText)

  override def parseTableSchema(sqlText: String): StructType = delegate.parseTableSchema(sqlText)

  override def parseDataType(sqlText: String): DataType = delegate.parseDataType(sqlText)

  override def parseRoutineParam(sqlText: String): StructType = delegate.parseRoutineParam(sqlText)
}
