// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.format.{TableStatement, UnresolvedPathTable}
import io.sparkzorder.plan.{DescribeLayoutStatement, ExplainSkippingStatement, TableFunctionCall, TableFunctions}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Makes of the call of a table function the statement that tells the same, with names as yet unresolved. */
private[resolve] class FunctionStatements(session: SparkSession) {

  private def parser = session.sessionState.sqlParser

  def statement(call: TableFunctionCall): LogicalPlan = {
    val arguments = new FunctionArguments(call)
    call.name match {
      case TableFunctions.ExplainSkipping => skipping(arguments.required("query"), call.name)
      case TableFunctions.LayoutFiles => layout(call.name, arguments, DescribeLayoutStatement.PerFile)
      case _ =>
        layout(call.name, arguments, DescribeLayoutStatement.Exact(arguments.flag("all_rows")))
    }
  }

  private def layout(name: String, arguments: FunctionArguments, rows: DescribeLayoutStatement.Rows): LogicalPlan =
    DescribeLayoutStatement(
      table(arguments.required("table"), TableStatement(name)),
      arguments.text("where").map(parser.parseExpression),
      arguments.texts("columns").map(c => UnresolvedAttribute(parser.parseMultipartIdentifier(c))),
      rows,
      name
    )

  /**
   * As in a statement, and without the quotes that a folder has there: a name has a slash between back-quotes only.
   */
  private def table(text: String, statement: TableStatement): LogicalPlan = {
    val trimmed = text.trim
    val inQuotes = trimmed.length > 1 && "'\"".contains(trimmed.head) && trimmed.last == trimmed.head
    if (inQuotes) UnresolvedPathTable(None, parser.parseExpression(trimmed).eval().toString, statement)
    else
      try UnresolvedPathTable.orNamed(parser.parseMultipartIdentifier(trimmed), statement)
      catch { case _: ParseException if trimmed.contains('/') => UnresolvedPathTable(None, trimmed, statement) }
  }

  /** The query by the rules of the statement. Its text is looked at no further than there. */
  private def skipping(query: String, name: String): LogicalPlan =
    parser.parsePlan(s"${ExplainSkippingStatement.Name} $query") match {
      case statement: ExplainSkippingStatement => statement.copy(name = name)
      case other => other
    }
}
