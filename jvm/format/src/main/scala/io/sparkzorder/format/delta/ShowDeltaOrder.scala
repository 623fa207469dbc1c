// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.errors.ZOrderAnalysisException
import io.sparkzorder.write.{OrderedRows, WriteOrder}

import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.delta.DeltaDynamicPartitionOverwriteCommand
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Puts [[OrderedRows]] into the plans that append to Delta tables, overwrite them or create them from a query, so that
 * EXPLAIN shows the order. MERGE, UPDATE and DELETE plan their rows when they run, and have nothing to show before.
 *
 * Delta may still add columns to the rows before it writes them, generated ones for example: then [[OrderDeltaWrites]]
 * finds the order anew, and decides whether it is valid.
 */
private[delta] object ShowDeltaOrder extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case append: AppendData if append.resolved => written(append)
    case overwrite: OverwriteByExpression if overwrite.resolved => written(overwrite)
    case overwrite: DeltaDynamicPartitionOverwriteCommand if overwrite.resolved => written(overwrite)
    case create: CreateTableAsSelect if create.resolved =>
      created(create, create.tableSpec).fold[LogicalPlan](create)(q => create.copy(query = q))
    case replace: ReplaceTableAsSelect if replace.resolved =>
      created(replace, replace.tableSpec).fold[LogicalPlan](replace)(q => replace.copy(query = q))
    case _ => plan
  }

  private def written(write: V2WriteCommand): LogicalPlan = write.table match {
    case relation: DataSourceV2Relation =>
      relation.table match {
        case table: DeltaTableV2 =>
          val name = DeltaOrder.nameOf(table.catalogTable, table.deltaLog)
          ordered(write.query, name, table.initialSnapshot.metadata).fold[LogicalPlan](write)(write.withNewQuery)
        case _ => write
      }
    case _ => write
  }

  /** The query of a new table in order, if that has one. */
  private def created(create: V2CreateTableAsSelectPlan, spec: TableSpecBase): Option[LogicalPlan] =
    create.name match {
      case ResolvedIdentifier(catalog, identifier) if isDelta(spec) =>
        val name = (catalog.name +: identifier.namespace.toSeq :+ identifier.name).mkString(".")
        val partitions = create.partitioning.filter(_.name == "identity").flatMap(_.references.map(_.fieldNames.head))
        val metadata = Metadata(
          schemaString = create.query.schema.json,
          partitionColumns = partitions,
          configuration = spec.properties)
        ordered(create.query, name, metadata)
      case _ => None
    }

  private def isDelta(spec: TableSpecBase): Boolean =
    spec.provider.getOrElse(conf.defaultDataSourceName).equalsIgnoreCase("delta")

  private def ordered(query: LogicalPlan, table: String, metadata: Metadata): Option[LogicalPlan] = query match {
    case _: OrderedRows => None
    case _ => orderOf(query, table, metadata).map(OrderedRows(_, query))
  }

  /** None also where the order is not valid: the write itself says so. */
  private def orderOf(query: LogicalPlan, table: String, metadata: Metadata): Option[WriteOrder] =
    try DeltaOrder.of(query, table, metadata, conf)
    catch { case _: ZOrderAnalysisException => None }
}
