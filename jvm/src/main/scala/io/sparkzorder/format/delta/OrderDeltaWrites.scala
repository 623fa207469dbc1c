// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.column.TableOrder
import io.sparkzorder.write.{OrderedRows, WriteOrder}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.{DeltaLog, OptimisticTransaction}
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.commands.cdc.CDCReader
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
 */
private[delta] class OrderDeltaWrites(session: SparkSession) extends Rule[LogicalPlan] with Logging {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case _: OrderedRows => plan
    case _ => metadataOf(plan).flatMap { case (name, metadata) => order(plan, name, metadata) }
        .fold(plan)(OrderedRows(_, plan))
  }

  private def metadataOf(plan: LogicalPlan): Option[(String, Metadata)] =
    OptimisticTransaction.getActive() match {
      case Some(transaction) if hasOrder(transaction.metadata) && isWritten(plan) =>
        Some((name(transaction.catalogTable, transaction.deltaLog), transaction.metadata))
      case Some(_) => None
      case None =>
        // As the stream's last batch left it: the sink has read the log, and planning reads no files.
        sinkOf(plan).flatMap { sink =>
          val log = sink.catalogTable.fold(DeltaLog.forTable(session, sink.path))(DeltaLog.forTable(session, _))
          Some((name(sink.catalogTable, log), log.unsafeVolatileSnapshot.metadata)).filter(t => hasOrder(t._2))
        }
    }

  private def hasOrder(metadata: Metadata): Boolean =
    metadata.configuration.contains(TableOrder.Columns)

  private def name(table: Option[CatalogTable], log: DeltaLog): String =
    table.fold(s"delta.`${log.dataPath}`")(_.identifier.unquotedString)

  private def isWritten(plan: LogicalPlan): Boolean =
    isExecuted(plan) && StackWalker.getInstance.walk[Boolean](_.anyMatch { frame =>
      frame.getMethodName == "writeFiles" && OrderDeltaWrites.writers.exists(frame.getClassName.endsWith)
    })

  /** Whether the query is the one being executed, and no query that Delta runs on the way, such as for the table's state. */
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

  private def order(plan: LogicalPlan, table: String, metadata: Metadata): Option[WriteOrder] = {
    val same = session.sessionState.conf.resolver
    def column(name: String): Option[Attribute] = plan.output.find(a => same(a.name, name))
    // Delta wants rows that are changes apart from rows of the table.
    val partitions = (CDCReader.CDC_PARTITION_COL +: metadata.partitionColumns).flatMap(column)
    val names = plan.output.map(a => a.name -> a)
    WriteOrder.of(table, metadata.configuration, names, partitions, Set.empty, session.sessionState.conf).map { found =>
      // Rows that move are computed twice, once for the sample: counters of MERGE and UPDATE would count them twice.
      val isRepeatable = !plan.exists(_.expressions.exists(!_.deterministic))
      if (found.moves && !isRepeatable)
        logInfo(s"Rows of $table are ordered within their tasks only: computing them twice could give others")
      found.copy(moves = found.moves && isRepeatable)
    }
  }
}

private object OrderDeltaWrites {

  /** Delta's classes with the method that writes. */
  private val writers = Seq(".files.TransactionalWrite", ".OptimisticTransaction")
}
