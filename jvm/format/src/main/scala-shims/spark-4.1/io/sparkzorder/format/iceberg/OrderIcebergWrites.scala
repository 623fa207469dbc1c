// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.write.{OrderedRows, WriteInput, WriteOrder}

import org.apache.iceberg.{BaseMetadataTable, Table}
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RowLevelWrite, V2WriteCommand}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Puts [[OrderedRows]] below inserts and overwrites of Iceberg tables whose properties ask for an order. Iceberg's writer
 * takes rows as they come where a table has neither partitions nor a sort order of Iceberg's; else it asks Spark to move
 * and sort them, and they would lose this one.
 *
 * UPDATE, DELETE and MERGE put rows of files that are rewritten into files by themselves, in the order of those; a MERGE that
 * only inserts is an insert to Spark.
 */
private[iceberg] object OrderIcebergWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: V2WriteCommand if !write.isInstanceOf[RowLevelWrite] && !write.query.isInstanceOf[OrderedRows] =>
      write.table match {
        case DataSourceV2Relation(table: SparkTable, _, _, _, _, _) if !table.table.isInstanceOf[BaseMetadataTable] =>
          orderOf(table.table, write.query).fold[LogicalPlan](write) { order =>
            write.withNewQuery(OrderedRows(order, write.query))
          }
        case _ => write
      }
  }

  private def orderOf(table: Table, query: LogicalPlan): Option[WriteOrder] = {
    val properties = table.properties.asScala.toMap
    // Most tables have none.
    if (!TableOrder.isIn(properties)) None
    else {
      val names = query.output.map(_.name)
      val schema = SparkSchemaUtil.convert(table.schema)
      WriteOrder.of(
        new WriteInput(table.name, schema, query, names, Nil, Set.empty, conflict(table)),
        properties,
        conf)
    }
  }

  private def conflict(table: Table): Option[ZOrderAnalysisException] =
    if (table.spec.isPartitioned) Some(ofPartitions(table.name))
    else if (table.sortOrder.isSorted)
      Some(
        ZOrderErrors.sortOverruled(
          table.name,
          "it has a sort order of Iceberg's",
          s"Run ALTER TABLE ${table.name} WRITE UNORDERED"))
    else None

  /** The error of a table with partitions. */
  def ofPartitions(table: String): ZOrderAnalysisException = ZOrderErrors.sortOverruled(
    table,
    "it is partitioned, and Iceberg brings the rows of a partition together as it writes",
    "Leave the order out")
}
