// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.util.Locale

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.parser.ZOrderSqlParser
import io.sparkzorder.plan.OptimizeStatement

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.commands.OptimizeTableCommand

/**
 * Carries out Delta's own `OPTIMIZE ... ZORDER BY` as ours, whoever made the command: Delta's parser when its extension
 * is listed after ours, or `DeltaTable.optimize().executeZOrderBy()`. Switched by `spark.sql.zorder.delta.takeover`.
 */
class TakeOverDeltaOptimize(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case c @ OptimizeTableCommand(table: ResolvedTable, predicates, context)
        if c.zOrderBy.nonEmpty && context.reorg.isEmpty && !context.isFull && ZOrderConf.deltaTakeover(conf) =>
      val predicate = predicates.map(session.sessionState.sqlParser.parseExpression).reduceOption(And)
      OptimizeStatement(table, predicate, c.zOrderBy, Map.empty, dryRun = false)

    case c @ OptimizeTableCommand(table: ResolvedTable, Seq(text), _) if c.zOrderBy.isEmpty =>
      readAsPredicate(text).fold[LogicalPlan](c)(_.copy(child = table))
  }

  /**
   * The statement of which Delta's parser, when it reads first, takes all that follows WHERE for the predicate, since
   * it knows neither OPTIONS nor DRY RUN.
   */
  private def readAsPredicate(text: String): Option[OptimizeStatement] =
    if (!text.toLowerCase(Locale.ROOT).contains("zorder")) None
    else
      try Some(new ZOrderSqlParser(session.sessionState.sqlParser).parsePlan(s"OPTIMIZE t WHERE $text")).collect {
          case statement: OptimizeStatement => statement
        }
      catch {
        // It was a predicate, or will be refused as one.
        case _: ParseException => None
      }
}
