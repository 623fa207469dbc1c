// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import java.util.UUID

import scala.jdk.CollectionConverters._

import io.sparkzorder.parser.ZOrderSqlBaseParser._

import org.antlr.v4.runtime.ParserRuleContext
import org.antlr.v4.runtime.tree.ParseTree

import org.apache.spark.sql.catalyst.parser._

/**
 * Puts the values of `:name` and `?` into the text of one of our statements.
 *
 * Spark's own substitution parses a whole statement with Spark's grammar, which does not know ours, but knows each part
 * in which there can be a marker: expressions, single markers, the query of `EXPLAIN SKIPPING` and, as subqueries,
 * those of `ADVISE LAYOUT`. So it is handed these parts, in one statement of its own. Not every colon in them begins a
 * marker: `a::int` is a cast, `v:field` a path.
 */
private[parser] object ParameterSubstitution {

  private val prefix = "SELECT "

  /** @param tree the parse tree of the whole of `sqlText` */
  def substitute(sqlText: String, tree: ParserRuleContext, context: ParameterContext): String =
    parts(tree) match {
      case Seq() => sqlText
      case Seq(query: QueryContext) =>
        replace(sqlText, Seq(query), Seq(ParameterHandler.substituteParameters(text(sqlText, query), context)._1))
      case parts =>
        val mark = s",'${UUID.randomUUID}',"
        val statement = parts.map(text(sqlText, _)).mkString(prefix, mark, "")
        val values = ParameterHandler.substituteParameters(statement, context)._1.stripPrefix(prefix).split(mark, -1)
        replace(sqlText, parts, values.toSeq)
    }

  private def parts(tree: ParseTree): Seq[ParserRuleContext] = tree match {
    case part @ (_: PredicateContext | _: NameExpressionContext | _: ParameterMarkerContext | _: QueryContext) =>
      Seq(part.asInstanceOf[ParserRuleContext])
    // With its parentheses: a subquery is an expression, and may stand beside others.
    case workload: WorkloadQueryContext => Seq(workload)
    case rule: ParserRuleContext if rule.children != null => rule.children.asScala.toSeq.flatMap(parts)
    case _ => Nil
  }

  private def span(sqlText: String, part: ParserRuleContext): (Int, Int) =
    SparkTokens.span(sqlText, part.getStart, part.getStop)

  private def text(sqlText: String, part: ParserRuleContext): String = {
    val (start, end) = span(sqlText, part)
    sqlText.substring(start, end)
  }

  private def replace(sqlText: String, parts: Seq[ParserRuleContext], values: Seq[String]): String =
    // From the last to the first, so that the positions of those still to come stay true.
    parts.zip(values).reverse.foldLeft(sqlText) { case (result, (part, value)) =>
      val (start, end) = span(sqlText, part)
      s"${result.substring(0, start)} $value ${result.substring(end)}"
    }
}
