// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.{SparkParseException, ZOrderErrors}
import io.sparkzorder.parser.SortedTable.SortBy
import io.sparkzorder.plan.TableProperties

import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.execution.command.ExplainCommand

/**
 * A CREATE or REPLACE TABLE with a clause SORT BY.
 *
 * The statement is Spark's, or another extension's; only the clause is ours. So the parser below is given the statement
 * with blanks in place of the clause, which keeps every position, and the order goes into the plan as table properties.
 * Before that it is given the statement as it stands: what it can read means what it meant without us.
 *
 * @param places
 *   begin and end of each clause SORT BY, in UTF-16 units; one or more
 */
private[parser] final class SortedTable(sqlText: String, places: Seq[(Int, Int)]) {

  /**
   * @param below
   *   parses a statement
   * @param clause
   *   parses the clause, in a text that is blank up to where it begins
   */
  def plan(below: String => LogicalPlan, clause: String => SortBy): LogicalPlan =
    try below(sqlText)
    catch {
      case _: ParseException =>
        try sorted(clause)(below(withoutClauses))
        catch { case e: ParseException => throw e.withCommand(sqlText) }
    }

  private def sorted(clause: String => SortBy): LogicalPlan => LogicalPlan = {
    val found = places.map { case (start, end) =>
      clause(SparkTokens.blank(sqlText.substring(0, start)) + sqlText.substring(start, end))
    }
    found.drop(1).headOption.foreach { second =>
      throw SparkParseException(second.place, "DUPLICATE_CLAUSES", Map("clauseName" -> "SORT BY"))
    }
    withOrder(_, found.head)
  }

  private def withoutClauses: String = places.foldLeft(sqlText) { case (text, (start, end)) =>
    text.substring(0, start) + SparkTokens.blank(text.substring(start, end)) + text.substring(end)
  }

  private def withOrder(plan: LogicalPlan, sortBy: SortBy): LogicalPlan = plan match {
    case explain: ExplainCommand =>
      CurrentOrigin.withOrigin(explain.origin)(explain.copy(logicalPlan = withOrder(explain.logicalPlan, sortBy)))
    // The name is known when the statement is analyzed.
    case named: PlanWithUnresolvedIdentifier =>
      CurrentOrigin.withOrigin(named.origin) {
        named.copy(planBuilder = (name, plans) => withOrder(named.planBuilder(name, plans), sortBy))
      }
    case table =>
      val properties = TableProperties.of(table).getOrElse(throw SortedTable.misplaced(sortBy.place))
      Seq(TableOrder.Columns, TableOrder.Order).find(properties.contains).foreach { byHand =>
        throw ZOrderErrors.sortByAndProperty(byHand, sortBy.toString, sortBy.place)
      }
      TableProperties.replace(table, properties ++ TableOrder.ofClause(sortBy.columns, sortBy.isZOrder))
  }
}

private[parser] object SortedTable {

  /** None for every statement without such a clause. */
  def of(sqlText: String): Option[SortedTable] =
    Some(SortClause.places(sqlText)).filter(_.nonEmpty).map(new SortedTable(sqlText, _))

  /**
   * What the clause says.
   *
   * @param place
   *   its position in the statement
   */
  final case class SortBy(columns: Seq[Seq[String]], isZOrder: Boolean, place: Origin) {
    override def toString: String = TableOrder(columns, isZOrder, isGlobal = false, isRaw = false).toString
  }

  /** The statement defines no table that could have an order. */
  private def misplaced(place: Origin): ParseException =
    SparkParseException(place, "PARSE_SYNTAX_ERROR", Map("error" -> "'SORT'", "hint" -> ""))
}
