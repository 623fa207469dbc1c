// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{DynamicPruningExpression, Expression, NamedExpression}
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.{InSubqueryExec, QueryExecution, SparkPlan, SubqueryBroadcastExec}
import org.apache.spark.sql.execution.adaptive.BroadcastQueryStageExec
import org.apache.spark.sql.execution.exchange.{BroadcastExchangeExec, ReusedExchangeExec}
import org.apache.spark.sql.execution.joins.{BaseJoinExec, HashedRelationBroadcastMode}

/** The keys of broadcast joins as dynamic pruning subqueries over the broadcasts that the joins have anyway. */
final private[dynamic] class BroadcastKeys(session: SparkSession) {

  /**
   * That a key is one of the other side's.
   *
   * @param tellApart
   *   whether more than a few keys may be of use, which takes a look at all files
   * @return
   *   None where the keys cannot be had, or are so many that they would be of no use
   */
  def filter(joinKey: BroadcastJoinKey, tellApart: => Boolean): Option[Expression] = {
    import joinKey._
    broadcast(build, tellApart).map { exchange =>
      val id = NamedExpression.newExprId
      val keys = SubqueryBroadcastExec(s"joinkeys#${id.id}", Seq(index), buildKeys, exchange)
      DynamicPruningExpression(InSubqueryExec(key, keys, id))
    }
  }

  private def broadcast(build: SparkPlan, tellApart: => Boolean): Option[SparkPlan] = build match {
    // Other engines have relations of their own.
    case stage: BroadcastQueryStageExec if stage.broadcast.getClass == classOf[BroadcastExchangeExec] =>
      val isSmall = stage.getRuntimeStatistics.rowCount.forall { rows =>
        rows <= BroadcastKeys.Few || (rows <= BroadcastKeys.Most && tellApart)
      }
      Option.when(isSmall)(ReusedExchangeExec(stage.output, stage.broadcast))
    case BroadcastExchangeExec(mode: HashedRelationBroadcastMode, child)
        if session.sessionState.conf.exchangeReuseEnabled && isPlannedAlike(child) =>
      val prepared = QueryExecution.prepareExecutedPlan(session.asInstanceOf[ClassicSession], child)
      Some(BroadcastExchangeExec(mode, prepared))
    case _ => None
  }

  /**
   * Whether a side is the same plan when it is prepared once more, so that Spark computes the two once. Else the keys could
   * be of other rows than those that are joined: of a source that has its latest rows each time, or a sample of a join,
   * whose scans may be pruned in one of the plans and not in the other.
   */
  private def isPlannedAlike(side: SparkPlan): Boolean =
    !side.exists(_.isInstanceOf[BaseJoinExec]) && side.sameResult(side.clone())
}

private object BroadcastKeys {

  // So few cost nothing. Of more, readers look up each in each page, where files that are not distinguished have no
  // page to leave out.
  private val Few = 10

  /** More rows take longer to go through than files are likely to be left out by them. */
  private val Most = 200000
}
