// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.column.TableOrder
import io.sparkzorder.write.OrderedRows

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.{DeltaLog, OptimisticTransaction}
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.sources.DeltaSink
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1

/**
 * Puts [[OrderedRows]] on top of the queries whose rows Delta writes to a table whose properties ask for an order.
 *
 * Every row of every data file goes through `TransactionalWrite.writeFiles`, which plans the rows' query itself, with the
 * table's transaction active on its thread; MERGE, UPDATE and DELETE also run queries that only read. A query is a
 * write's own if it is planned inside of that method and is the one that is being executed. OPTIMIZE, Delta's and ours,
 * has no active transaction. A stream's query is planned before its transaction begins, and known by its sink.
 *
 * Only the stack shows that `writeFiles` plans a query: the plan is the caller's own, and what Delta adds to it comes
 * after it was planned. Neither the transaction, which keeps its flag `hasWritten` for the queries after a write, nor
 * Spark, which publishes the name of Delta's execution at its end only, shows it before.
 */
private[delta] class OrderDeltaWrites(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: OrderedRows => plan
    case _ =>
      val query = if (OptimisticTransaction.getActive().isDefined) withoutShown(plan) else plan
      metadataOf(plan).flatMap { case (table, metadata) => DeltaOrder.of(query, table, metadata, conf) }
        .fold(query)(OrderedRows(_, query))
  }

  /**
   * Queries that Delta runs over the rows before it writes them need no order. The rows of an overwrite of dynamic
   * partitions come optimized, so that their columns may have other ids than the plan above knows them by.
   */
  private def withoutShown(plan: LogicalPlan): LogicalPlan = plan.transform { case shown: OrderedRows =>
    val known = shown.output
    val found = shown.child.output
    if (known.map(_.exprId) == found.map(_.exprId)) shown.child
    else Project(known.zip(found).map { case (k, f) => Alias(f, k.name)(k.exprId, k.qualifier) }, shown.child)
  }

  private def metadataOf(plan: LogicalPlan): Option[(String, Metadata)] =
    OptimisticTransaction.getActive() match {
      case Some(transaction) if TableOrder.isIn(transaction.metadata.configuration) && isWritten(plan) =>
        Some((DeltaOrder.nameOf(transaction.catalogTable, transaction.deltaLog), transaction.metadata))
      case Some(_) => None
      case None =>
        // As the stream's last batch left it: the sink has read the log, and planning reads no files.
        sinkOf(plan).flatMap { sink =>
          val log = sink.catalogTable.fold(DeltaLog.forTable(session, sink.path))(DeltaLog.forTable(session, _))
          Some((DeltaOrder.nameOf(sink.catalogTable, log), log.unsafeVolatileSnapshot.metadata)).filter(t =>
            TableOrder.isIn(t._2.configuration))
        }
    }

  /** Whether `writeFiles` itself plans this query: of all of Delta's methods it is the nearest on the stack. */
  private def isWritten(plan: LogicalPlan): Boolean =
    isExecuted(plan) && StackWalker.getInstance.walk[Boolean] { frames =>
      val nearest = frames.filter(_.getClassName.startsWith(OrderDeltaWrites.DeltasPackage)).findFirst
      nearest.isPresent && OrderDeltaWrites.isWriter(nearest.get)
    }

  /** Whether the query is the one that is being executed. */
  private def isExecuted(plan: LogicalPlan): Boolean =
    Option(session.sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY))
      .flatMap(id => Option(SQLExecution.getQueryExecution(id.toLong)))
      .exists(_.analyzed.output.map(_.exprId) == plan.output.map(_.exprId))

  /** The sink of a stream's batch; Delta may have cast the columns of the batch. */
  @scala.annotation.tailrec
  private def sinkOf(plan: LogicalPlan): Option[DeltaSink] = plan match {
    case write: WriteToMicroBatchDataSourceV1 => Some(write.sink).collect { case sink: DeltaSink => sink }
    case project: Project => sinkOf(project.child)
    case _ => None
  }
}

private object OrderDeltaWrites {

  private val DeltasPackage = "org.apache.spark.sql.delta."

  /** Delta's method that writes, or a function in it. */
  private def isWriter(frame: StackWalker.StackFrame): Boolean =
    frame.getMethodName.split('$').contains("writeFiles") &&
      Seq("files.TransactionalWrite", "OptimisticTransaction").exists(c => frame.getClassName == DeltasPackage + c)
}
