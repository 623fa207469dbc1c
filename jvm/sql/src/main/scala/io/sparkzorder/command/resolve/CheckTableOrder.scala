// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import scala.util.control.NonFatal

import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.TableFormats
import io.sparkzorder.plan.TableProperties

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.{
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  SetTableProperties,
  V2CreateTablePlan
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.catalyst.trees.TreePatternBits
import org.apache.spark.sql.connector.catalog.TableCatalog
import org.apache.spark.sql.execution.command.AlterTableSetPropertiesCommand
import org.apache.spark.sql.execution.datasources.{CreateTable => CreateTableV1}

/**
 * Refuses an order that a table cannot have, in every statement that gives it one: by the clause SORT BY, which the
 * parser turns into table properties, or by the properties themselves. Columns get the table's own spelling. A table of a
 * format that is written in no order may have properties of these names, which mean something to others.
 *
 * Spark turns statements on tables of its own catalog into its older plans before this rule sees them.
 */
class CheckTableOrder(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    UnexpectedError.named("The check of a table's order")(plan.resolveOperatorsUpWithPruning(mayHold) {
      case create: V2CreateTablePlan if TableProperties.of(create).isDefined =>
        OrderedTable.of(create, formats).fold[LogicalPlan](create) { table =>
          val properties = TableProperties.of(create).get
          val all = ended(create, table) ++ properties
          val checked = if (TableOrder.isIn(all)) created(table, all) else all
          if (checked == properties) create else TableProperties.replace(create, checked)
        }

      case create: CreateTableV1 if TableOrder.isIn(create.tableDesc.properties) && create.query.forall(_.resolved) =>
        val table = OrderedTable.of(create.tableDesc, create.query)
        val checked = created(table, create.tableDesc.properties)
        if (checked == create.tableDesc.properties) create
        else create.copy(tableDesc = create.tableDesc.copy(properties = checked))

      case set @ SetTableProperties(found: ResolvedTable, properties) if formats.touchOrder(properties) =>
        import scala.jdk.CollectionConverters._
        val checked = added(OrderedTable.of(found), found.table.properties.asScala.toMap, properties)
        if (checked == properties) set else set.copy(properties = checked)

      case set @ AlterTableSetPropertiesCommand(name, properties, false) if formats.touchOrder(properties) =>
        val table = session.sessionState.catalog.getTableMetadata(name)
        val checked = added(OrderedTable.of(table, None), table.properties, properties)
        if (checked == properties) set else set.copy(properties = checked)
    })

  /** Whether there may be a statement on a table in a plan. Of all these, one is no command to Spark. */
  private def mayHold(plan: TreePatternBits): Boolean =
    plan.containsPattern(COMMAND) || plan.isInstanceOf[CreateTableV1]

  /** The properties of a new table, which only the clause makes an order of any format's. */
  private def created(table: OrderedTable, properties: Map[String, String]): Map[String, String] =
    if (table.canHaveOrder(formats) || TableOrder.isOfClause(properties))
      TableOrder.withoutClause(table.checked(properties, formats))
    else properties

  /**
   * What ends the order of a table that a statement replaces, where it would keep its properties; empty if it has none. The
   * catalog is asked, as for the table of any statement.
   */
  private def ended(create: V2CreateTablePlan, table: OrderedTable): Map[String, String] = create match {
    case _: ReplaceTable | _: ReplaceTableAsSelect if formats.named(table.format).exists(_.keepsProperties) =>
      create.name match {
        case ResolvedIdentifier(catalog: TableCatalog, identifier) =>
          try {
            val before = catalog.loadTable(identifier).properties
            TableOrder.none.filter { case (name, _) => before.containsKey(name) }
            // Whatever is wrong with it, the statement itself says so, or makes it anew.
          } catch { case NonFatal(_) => Map.empty }
        case _ => Map.empty
      }
    case _ => Map.empty
  }

  /** The properties to set, checked together with those that the table has. */
  private def added(
      table: OrderedTable,
      present: Map[String, String],
      properties: Map[String, String]): Map[String, String] = {
    val checked = if (table.canHaveOrder(formats)) table.checked(present ++ properties, formats) else properties
    properties.map { case (name, _) => name -> checked(name) }
  }
}
