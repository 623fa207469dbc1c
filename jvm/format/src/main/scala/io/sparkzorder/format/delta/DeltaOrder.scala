// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.column.{OrderColumns, TableOrder}
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}
import io.sparkzorder.write.{WriteInput, WriteOrder}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.delta.{DeltaConfigs, DeltaLog}
import org.apache.spark.sql.delta.actions.Metadata
import org.apache.spark.sql.delta.commands.CreateDeltaTableCommand
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

/**
 * Refuses an order that a Delta table cannot have which is made LIKE a table of another format. Columns get the table's own
 * spelling.
 *
 * Delta makes a command of its own of that statement, with the columns and all properties of the other table and those
 * that the statement sets. No other statement is such a command when it is analyzed, but a CLONE, which has a query.
 */
private[delta] object CheckCopiedOrder extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    UnexpectedError.named("The check of a table's order")(plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
      case create: CreateDeltaTableCommand if create.query.isEmpty && TableOrder.isIn(create.table.properties) =>
        val properties = checked(create.table)
        if (properties == create.table.properties) create
        else create.copy(table = create.table.copy(properties = properties))
    })

  private def checked(table: CatalogTable): Map[String, String] = {
    val name = (table.identifier.database.toSeq :+ table.identifier.table).map(quoteIfNeeded).mkString(".")
    TableOrder.of(name, table.properties).fold(table.properties) { order =>
      OptimizedWrites.in(table.properties).foreach(s => throw ZOrderErrors.sortByAndOptimizedWrites(name, s))
      val columns = OrderColumns.of(order, name, table.schema, table.partitionColumnNames, conf.resolver)
      table.properties ++ TableOrder.properties(columns.map(_.path.parts), order.isZOrder)
    }
  }
}
