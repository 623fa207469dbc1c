// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.TableFormats
import io.sparkzorder.write.{OrderedRows, WriteInput, WriteOrder}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.CreateDataSourceTableAsSelectCommand
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, V1WriteCommand}
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Puts [[OrderedRows]] below every write to a table of Spark's session catalog whose properties ask for an order.
 *
 * It belongs to the normalization of analyzed plans: there every write is a command of Spark's, of which the table is
 * known, streams included, and nothing is optimized yet. Spark runs a command that creates a table as two, of which the
 * second no longer knows the table; the rows are ordered in the first.
 */
class OrderTableWrites(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: V1WriteCommand if !isOrdered(write.query) =>
      val ordered = for (table <- tableOf(write); order <- orderOf(write, table))
        yield write.withNewChildren(Seq(OrderedRows(order, write.query, options(write, table))))
      ordered.getOrElse(write)
    case create: CreateDataSourceTableAsSelectCommand if !isOrdered(create.query) =>
      orderOf(create.table, create.query, create.outputColumnNames).fold[LogicalPlan](create) { order =>
        val ordered = OrderedRows(order, create.query, create.table.storage.properties)
        create.makeCopy(create.productIterator.map {
          case query: LogicalPlan if query eq create.query => ordered
          case other => other.asInstanceOf[AnyRef]
        }.toArray)
      }
    case stream: WriteToMicroBatchDataSourceV1
        if !isOrdered(stream.query) && StreamSinks.isOfFiles(stream.sink) =>
      stream.catalogTable.map(latest).flatMap(orderOf(_, stream.query, stream.query.output.map(_.name)))
        .fold[LogicalPlan](stream)(order =>
          stream.withNewChildren(Seq(OrderedRows(order, stream.query, stream.writeOptions))))
  }

  private def isOrdered(query: LogicalPlan): Boolean = query.isInstanceOf[OrderedRows]

  /** The table is among the command's fields; the command that writes Hive's own tables is of another module of Spark. */
  private def tableOf(write: V1WriteCommand): Option[CatalogTable] = write.productIterator.collectFirst {
    case table: CatalogTable => latest(table)
    case Some(table: CatalogTable) => latest(table)
  }

  /**
   * The table as the catalog has it now. Of a table that the session has read or written before, a command has the entry
   * of that time: ALTER TABLE clears no other session's cache.
   */
  private def latest(known: CatalogTable): CatalogTable =
    if (!isParquet(known) || known.identifier.catalog.exists(_ != SparkInternals.SessionCatalog)) known
    else
      try session.sessionState.catalog.getTableMetadata(known.identifier)
      // Somebody has dropped it since.
      catch { case _: NoSuchTableException | _: NoSuchNamespaceException => known }

  /** Those of the statement and its table. */
  private def options(write: V1WriteCommand, table: CatalogTable): Map[String, String] = write match {
    case insert: InsertIntoHadoopFsRelationCommand => insert.options
    case _ => table.storage.properties
  }

  private def orderOf(write: V1WriteCommand, table: CatalogTable): Option[WriteOrder] = {
    val static = write.staticPartitions.keySet
    def isStatic(column: Attribute) = static.exists(conf.resolver(_, column.name))
    // Some commands name static partitions among the columns, others do not.
    orderOf(table, write.query, write.outputColumnNames, write.partitionColumns.filterNot(isStatic), static)
  }

  private def orderOf(table: CatalogTable, query: LogicalPlan, names: Seq[String]): Option[WriteOrder] = {
    val output = names.zip(query.output)
    val partitions = table.partitionColumnNames.flatMap(p => output.find(c => conf.resolver(c._1, p)).map(_._2))
    orderOf(table, query, names, partitions, Set.empty)
  }

  private def orderOf(
      table: CatalogTable,
      query: LogicalPlan,
      names: Seq[String],
      partitions: Seq[Attribute],
      static: Set[String]): Option[WriteOrder] =
    // Another format's table may have properties of these names, too; a format with a log of its own orders its writes itself.
    if (!isParquet(table)) None
    else {
      val name = table.identifier.unquotedString
      def conflict = table.bucketSpec.map(_ => ZOrderErrors.sortByAndBuckets(name))
      val rows = new WriteInput(name, table.schema, query, names, partitions, static, conflict)
      WriteOrder.of(rows, table.properties, conf)
    }

  private def isParquet(table: CatalogTable): Boolean = TableFormats.formatOf(table) == "parquet"
}
