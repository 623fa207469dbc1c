// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.PlainTypes
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.expressions.CurveIndex

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.ShufflePartitionIdPassThrough
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{IntegerType, LongType}

/**
 * Has the rows of a rewrite read from column batches, where Spark's own reader makes them and all that is computed of a row
 * is its section and its curve position, and moves them as [[ColumnBlocksExec column blocks]] where nothing else is in the
 * way. All other plans stay as they are.
 *
 * It looks at plans in which transitions have been inserted: only there it is certain that no other extension reads the
 * scan in its own way, with vectors of its own.
 */
object MoveFromBatches extends ColumnarRule {

  /** With more, blocks would have so few rows of a batch that they are no shorter than rows. */
  private val MaxTasks = 512

  override def postColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = plan
      .transformDown {
        case project: ProjectExec if isKeyed(project) => rows(project).filter(isPlain).getOrElse(project)
      }
      .transformDown { case move: DropTrailingColumnsExec => inBlocks(move).getOrElse(move) }
  }

  private def isKeyed(project: ProjectExec): Boolean = project.projectList.exists(_.exists(_.isInstanceOf[CurveIndex]))

  private def isPlain(rows: RowsFromBatchesExec): Boolean = rows.columns.forall(c => PlainTypes.contain(c.dataType))

  private def rows(plan: SparkPlan): Option[RowsFromBatchesExec] = plan match {
    case ColumnarToRowExec(scan: FileSourceScanExec) =>
      Some(RowsFromBatchesExec(scan.output, Nil, scan))
    case ProjectExec(list, child) => rows(child).flatMap(below => withMore(list, below))
    case _ => None
  }

  /** A projection that keeps the numbers there are, and puts more behind them. */
  private def withMore(list: Seq[NamedExpression], below: RowsFromBatchesExec): Option[RowsFromBatchesExec] = {
    val (kept, more) = list.span(_.isInstanceOf[Attribute])
    val (columns, numbers) = kept.splitAt(kept.length - below.numbers.flatten.length)
    Option.when(
      numbers.map(_.exprId) == below.numbers.flatten.map(_.exprId) &&
        columns.forall(c => below.columns.exists(_.exprId == c.exprId)) && more.forall(isNumber))(
      below.copy(columns.map(_.toAttribute), below.numbers :+ more))
  }

  private def isNumber(e: NamedExpression): Boolean =
    !e.nullable && e.deterministic && (e.dataType == IntegerType || e.dataType == LongType)

  /** A shuffle of rows to their tasks, and a sort by curve position alone, which hands out the columns that were read. */
  private def inBlocks(plan: DropTrailingColumnsExec): Option[SparkPlan] = plan match {
    case DropTrailingColumnsExec(
          output,
          SortExec(Seq(SortOrder(position: Attribute, Ascending, _, _)), false, exchange: ShuffleExchangeExec, _))
        if ZOrderConf.movesBlocks(SQLConf.get) =>
      (exchange.outputPartitioning, exchange.child) match {
        case (ShufflePartitionIdPassThrough(DirectShufflePartitionID(task), tasks), rows: RowsFromBatchesExec)
            if tasks <= MaxTasks && rows.columns.map(_.exprId) == output.map(_.exprId) &&
              rows.numbers.flatten.exists(n => n.exprId == position.exprId && n.dataType == LongType) =>
          val blocks = ColumnBlocksExec(rows.columns, rows.numbers, position, task, rows.child)
          val moved = exchange.copy(
            outputPartitioning = ShufflePartitionIdPassThrough(DirectShufflePartitionID(blocks.task), tasks),
            child = blocks)
          Some(SortedBlocksExec(output, moved))
        case _ => None
      }
    case _ => None
  }
}
