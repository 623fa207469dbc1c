// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand
import org.apache.spark.sql.execution.datasources.V1WriteCommand
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1

/**
 * Puts [[OrderedRows]] below every write to a table of Spark's session catalog whose properties ask for an order.
 *
 * It belongs to the normalization of analyzed plans: there every write is a command of Spark's, of which the table is
 * known, streams included, and nothing is optimized yet. Spark runs a command that creates a table as two, of which the
 * second no longer knows the table; the rows are ordered in the first.
 */
object OrderTableWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: V1WriteCommand if !isOrdered(write.query) =>
      tableOf(write).flatMap(orderOf(write, _)).fold[LogicalPlan](write) { order =>
        write.withNewChildren(Seq(OrderedRows(order, write.query)))
      }
    case create: CreateDataSourceTableAsSelectCommand if !isOrdered(create.query) =>
      orderOf(create.table, create.outputColumnNames.zip(create.query.output)).fold[LogicalPlan](create) { order =>
        val ordered = OrderedRows(order, create.query)
        create.makeCopy(create.productIterator.map {
          case query: LogicalPlan if query eq create.query => ordered
          case other => other.asInstanceOf[AnyRef]
        }.toArray)
      }
    case stream: WriteToMicroBatchDataSourceV1 if !isOrdered(stream.query) =>
      stream.catalogTable.filterNot(isOfOtherFormat)
        .flatMap(orderOf(_, stream.query.output.map(a => a.name -> a), areRepeatable = false))
        .fold[LogicalPlan](stream)(order => stream.withNewChildren(Seq(OrderedRows(order, stream.query))))
  }

  private def isOrdered(query: LogicalPlan): Boolean = query.isInstanceOf[OrderedRows]

  /** Among the command's fields: the command that writes Hive's own tables belongs to another module of Spark. */
  private def tableOf(write: V1WriteCommand): Option[CatalogTable] = write.productIterator.collectFirst {
    case table: CatalogTable => table
    case Some(table: CatalogTable) => table
  }

  /** A format that keeps properties of its own orders its writes itself. */
  private def isOfOtherFormat(table: CatalogTable): Boolean = table.provider.exists(_.equalsIgnoreCase("delta"))

  private def orderOf(write: V1WriteCommand, table: CatalogTable): Option[WriteOrder] = {
    val (output, static) = (write.outputColumnNames.zip(write.query.output), write.staticPartitions)
    val rows =
      rowsOf(table, output).copy(partitions = write.partitionColumns.drop(static.size), constants = static.keySet)
    WriteOrder.of(rows, table.properties, conf)
  }

  /** @param areRepeatable false for a stream's: states of a batch would be updated twice */
  private def orderOf(
      table: CatalogTable,
      output: Seq[(String, Attribute)],
      areRepeatable: Boolean = true): Option[WriteOrder] = {
    val partitions = table.partitionColumnNames.flatMap(p => output.find(c => conf.resolver(c._1, p)).map(_._2))
    val rows = rowsOf(table, output).copy(partitions = partitions, areRepeatable = areRepeatable)
    WriteOrder.of(rows, table.properties, conf)
  }

  private def rowsOf(table: CatalogTable, output: Seq[(String, Attribute)]): RowsToWrite = RowsToWrite(
    table.identifier.unquotedString,
    table.schema,
    output,
    partitions = Nil,
    isBucketed = table.bucketSpec.isDefined)
}
