package io.sparkzorder.format.delta

import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.plan.OptimizeStatement

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.expressions.And
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.commands.OptimizeTableCommand

/**
 * Carries out Delta's own `OPTIMIZE ... ZORDER BY` as ours, whoever made the command: Delta's parser when its extension
 * is listed after ours, or `DeltaTable.optimize().executeZOrderBy()`. Switched by `spark.sql.zorder.delta.takeover`.
 */
class DeltaTakeover(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!ZOrderConf.deltaTakeover(conf)) plan
    else
      plan.resolveOperators {
        case c @ OptimizeTableCommand(table: ResolvedTable, predicates, context)
            if c.zOrderBy.nonEmpty && context.reorg.isEmpty && !context.isFull =>
          val predicate = predicates.map(session.sessionState.sqlParser.parseExpression).reduceOption(And)
          OptimizeStatement(table, predicate, c.zOrderBy, Map.empty, dryRun = false)
      }
}
