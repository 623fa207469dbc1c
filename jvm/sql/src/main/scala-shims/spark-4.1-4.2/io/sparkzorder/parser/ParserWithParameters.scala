// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.parser.SortedTable.SortBy

import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf

/** Parameters of statements, of which the parser knows the values since Spark 4.1. */
private[parser] trait ParserWithParameters extends ParserInterface { self: ZOrderSqlParser =>

  /**
   * The entry of `spark.sql` since Spark 4.1, with or without parameters.
   *
   * Spark's own parser takes them as they are, for its error positions. Another extension's may not override this
   * method and would then drop them (Delta 4.4.0 does), so it is given plain text.
   */
  override def parsePlanWithParameters(sqlText: String, context: ParameterContext): LogicalPlan =
    parsed(sqlText, others(_, context), statement(_, context), sortBy(_, context))

  private def others(sqlText: String, context: ParameterContext): LogicalPlan =
    if (isSparks || SQLConf.get.legacyParameterSubstitutionConstantsOnly)
      delegate.parsePlanWithParameters(sqlText, context)
    else {
      val text = substitution.substitute(sqlText)
      val bound =
        try ParameterHandler.substituteParameters(text, context)._1
        // Spark parses a text with a colon or a question mark anywhere in it, and finds no markers in a statement that is
        // not its own.
        catch { case _: ParseException => boundByUs(text, context) }
      delegate.parsePlan(bound)
    }

  /** Delta's OPTIMIZE is read by our grammar as well. */
  private def boundByUs(text: String, context: ParameterContext): String =
    if (StatementRecognizer.isCompaction(text)) ParameterSubstitution.substitute(text, tree(text), context) else text

  private def isSparks: Boolean = delegate.isInstanceOf[AbstractSqlParser]

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

  private def sortBy(sqlText: String, context: ParameterContext): SortBy = context match {
    // The clause is parsed by itself, so that it cannot be known which of the positions are its own.
    case _: NamedParameterContext =>
      sortBy(ParameterSubstitution.substitute(sqlText, grammar(sqlText).sortClause(), context))
    case _ => sortBy(sqlText)
  }
}
