// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.order

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.write.{WriteInput, WriteOrder}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.{DeltaConfigs, DeltaLog}
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.commands.cdc.CDCReader
import org.apache.spark.sql.delta.sources.DeltaSQLConf
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
    def conflict = optimizedWrites(metadata, conf).map(ZOrderErrors.sortByAndOptimizedWrites(table, _))
    val names = rows.output.map(_.name)
    val written = new WriteInput(table, metadata.schema, rows, names, partitions, Set.empty, conflict)
    WriteOrder.of(written, metadata.configuration, conf)
  }

  /** What makes Delta shuffle rows after they were ordered; the option of a single write is not known here. */
  private def optimizedWrites(metadata: Metadata, conf: SQLConf): Option[String] = {
    val session = conf.getConf(DeltaSQLConf.DELTA_OPTIMIZE_WRITE_ENABLED)
    val table = DeltaConfigs.OPTIMIZE_WRITE.fromMetaData(metadata)
    if (session.contains(true)) Some(DeltaSQLConf.DELTA_OPTIMIZE_WRITE_ENABLED.key)
    else if (session.isEmpty && table.contains(true)) Some(DeltaConfigs.OPTIMIZE_WRITE.key)
    else None
  }
}
