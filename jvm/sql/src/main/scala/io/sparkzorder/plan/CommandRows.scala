// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, ExprId, UnsafeProjection}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Statistics}
import org.apache.spark.sql.execution.{CommandExecutionMode, LeafExecNode, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.command.RunnableCommand
import org.apache.spark.sql.types.DataType

/**
 * The rows that a command returns, as a table of a query.
 *
 * The command itself would run as soon as Spark analyzes the query; this waits until the query runs.
 */
case class CommandRows(command: RunnableCommand, output: Seq[Attribute]) extends LeafNode with MultiInstanceRelation {

  override def newInstance(): LogicalPlan = copy(output = output.map(_.newInstance()))

  // Nobody knows before it runs.
  override def computeStats(): Statistics = Statistics(sizeInBytes = conf.defaultSizeInBytes)

  override protected def doCanonicalize(): LogicalPlan = copy(output = CommandRows.canonical(output))

  override protected def stringArgs: Iterator[Any] = Iterator(command.simpleString(conf.maxToStringFields))
}

object CommandRows {

  def of(command: RunnableCommand): CommandRows = CommandRows(command, command.output)

  /** The columns by their places alone. */
  private[plan] def canonical(output: Seq[Attribute]): Seq[Attribute] = output.zipWithIndex.map { case (a, i) =>
    QueryPlan.normalizeExpressions(a, output).asInstanceOf[Attribute].withExprId(ExprId(i.toLong))
  }
}

/** Plans [[CommandRows]]. */
object CommandRowsStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case CommandRows(command, output) => Seq(CommandRowsExec(command, output))
    case _ => Nil
  }
}

/** Runs a command on the driver, once, when its rows are asked for. */
case class CommandRowsExec(@transient command: RunnableCommand, output: Seq[Attribute]) extends LeafExecNode {

  @transient private lazy val rows: Array[InternalRow] = {
    val types: Seq[DataType] = command.output.map(_.dataType)
    val toRow = types.map(CatalystTypeConverters.createToCatalystConverter)
    val toUnsafe = UnsafeProjection.create(types.toArray)
    // The optimizer replaces what cannot be evaluated as it was written, such as BETWEEN; it did not see the command.
    val ready = session.sessionState.executePlan(command, CommandExecutionMode.SKIP).optimizedPlan
    ready.asInstanceOf[RunnableCommand].run(session).map { row =>
      toUnsafe(InternalRow.fromSeq(toRow.indices.map(i => toRow(i)(row.get(i))))).copy(): InternalRow
    }.toArray
  }

  override def executeCollect(): Array[InternalRow] = rows

  override def executeTake(limit: Int): Array[InternalRow] = rows.take(limit)

  override def executeTail(limit: Int): Array[InternalRow] = rows.takeRight(limit)

  override protected def doExecute(): RDD[InternalRow] = sparkContext.parallelize(rows.toSeq, 1)

  override protected def doCanonicalize(): SparkPlan = copy(output = CommandRows.canonical(output))

  override protected def stringArgs: Iterator[Any] = Iterator(command.simpleString(conf.maxToStringFields))
}
