// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import java.util.Locale

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.format.TableFormat.OptimizeCall
import io.sparkzorder.format.TableFormats
import io.sparkzorder.parser.ZOrderSqlParser
import io.sparkzorder.plan.OptimizeStatement

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Carries out a format's own `OPTIMIZE ... ZORDER BY` as ours, whoever made its plan: Delta's parser when its extension is
 * listed after ours, or `DeltaTable.optimize().executeZOrderBy()`. Switched by `spark.sql.zorder.delta.takeover`.
 */
class TakeOverOptimize(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators { case theirs =>
    formats.optimizeCall(theirs).flatMap(statement).getOrElse(theirs)
  }

  private def statement(call: OptimizeCall): Option[OptimizeStatement] = call match {
    case OptimizeCall(table, predicates, columns) if columns.nonEmpty =>
      def predicate = predicates.map(session.sessionState.sqlParser.parseExpression).reduceOption(And)
      Option.when(ZOrderConf.deltaTakeover(conf)) {
        OptimizeStatement(table, predicate, columns, Map.empty, dryRun = false)
      }
    case OptimizeCall(table, Seq(text), _) => readAsPredicate(text).map(_.copy(child = table))
    case _ => None
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
