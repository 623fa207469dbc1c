// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.write.{RowsToWrite, WriteOrder}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.DeltaLog
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.commands.cdc.CDCReader
import org.apache.spark.sql.execution.streaming.sources.WriteToMicroBatchDataSourceV1
import org.apache.spark.sql.internal.SQLConf

/** The order in which a Delta table wants the rows of a query. */
private[delta] object DeltaOrder {

  def nameOf(table: Option[CatalogTable], log: DeltaLog): String =
    table.fold(s"delta.`${log.dataPath}`")(_.identifier.unquotedString)

  /**
   * @param rows
   *   the query, with the table's names
   * @param table
   *   name of the table, for messages
   * @return
   *   None for a table without an order
   * @throws ZOrderAnalysisException
   *   where the order is not valid
   */
  def of(rows: LogicalPlan, table: String, metadata: Metadata, conf: SQLConf): Option[WriteOrder] = {
    def column(name: String): Option[Attribute] = rows.output.find(a => conf.resolver(a.name, name))
    // Delta wants rows that are changes apart from rows of the table.
    val partitions = (CDCReader.CDC_PARTITION_COL +: metadata.partitionColumns).flatMap(column)
    val names = rows.output.map(a => a.name -> a)
    val written =
      RowsToWrite(table, metadata.schema, names, partitions, areRepeatable = areRepeatable(rows))
    WriteOrder.of(written, metadata.configuration, conf)
  }

  /** Not where counters of MERGE and UPDATE would count rows twice, or a stream update its states twice. */
  private def areRepeatable(rows: LogicalPlan): Boolean =
    !rows.isStreaming && !rows.exists(p =>
      p.isInstanceOf[WriteToMicroBatchDataSourceV1] ||
        p.expressions.exists(!_.deterministic))
}
