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
      val names = create.outputColumnNames.zip(create.query.output)
      val partitions = create.table.partitionColumnNames.flatMap(p => names.find(n => conf.resolver(n._1, p)).map(_._2))
      order(create.table, names, partitions, Set.empty).fold[LogicalPlan](create) { order =>
        val ordered = OrderedRows(order, create.query)
        create.makeCopy(create.productIterator.map(a => (if (a == create.query) ordered else a).asInstanceOf[AnyRef]).toArray)
      }
    case stream: WriteToMicroBatchDataSourceV1 if !isOrdered(stream.query) =>
      val names = stream.query.output.map(a => a.name -> a)
      stream.catalogTable.filterNot(isOfOtherFormat).flatMap { table =>
        val partitions = table.partitionColumnNames.flatMap(p => names.find(n => conf.resolver(n._1, p)).map(_._2))
        order(table, names, partitions, Set.empty)
      }.fold[LogicalPlan](stream)(order => stream.withNewChildren(Seq(OrderedRows(order, stream.query))))
  }

  private def isOrdered(query: LogicalPlan): Boolean = query.isInstanceOf[OrderedRows]

  /** By their position among a command's fields: the command of Hive's own tables belongs to another module of Spark. */
  private def tableOf(write: V1WriteCommand): Option[CatalogTable] = write.productIterator.collectFirst {
    case table: CatalogTable => table
    case Some(table: CatalogTable) => table
  }

  /** A format that keeps properties of its own orders its writes itself. */
  private def isOfOtherFormat(table: CatalogTable): Boolean = table.provider.exists(_.equalsIgnoreCase("delta"))

  private def orderOf(write: V1WriteCommand, table: CatalogTable): Option[WriteOrder] = {
    val sortedFirst = write.partitionColumns.drop(write.staticPartitions.size)
    order(table, write.outputColumnNames.zip(write.query.output), sortedFirst, write.staticPartitions.keySet)
  }

  private def order(
      table: CatalogTable,
      output: Seq[(String, Attribute)],
      partitions: Seq[Attribute],
      static: Set[String]): Option[WriteOrder] =
    if (table.bucketSpec.isDefined) None
    else WriteOrder.of(table.identifier.unquotedString, table.properties, output, partitions, static, conf)
}
