// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.write.WriteOrder

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.DeltaLog
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.commands.cdc.CDCReader
import org.apache.spark.sql.internal.SQLConf

/** The order in which a Delta table wants the rows of a query. */
private[delta] object DeltaOrder extends Logging {

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
    WriteOrder.of(table, metadata.configuration, names, partitions, Set.empty, conf).map { order =>
      // Rows that move are computed twice, once for the sample: counters of MERGE and UPDATE would count them twice.
      val isRepeatable = !rows.exists(_.expressions.exists(!_.deterministic))
      if (order.moves && !isRepeatable)
        logInfo(s"Rows of $table are ordered within their tasks only: computing them twice could give others")
      order.copy(moves = order.moves && isRepeatable)
    }
  }
}
