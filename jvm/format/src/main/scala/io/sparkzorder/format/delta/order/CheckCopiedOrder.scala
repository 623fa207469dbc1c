// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.order

import io.sparkzorder.column.{OrderColumns, TableOrder}
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}

import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.delta.commands.CreateDeltaTableCommand

/**
 * Refuses an order that a Delta table cannot have which is made LIKE a table of another format. Columns get the table's own
 * spelling.
 *
 * Delta makes a command of its own of that statement, with the columns and all properties of the other table and those
 * that the statement sets. No other statement is such a command when it is analyzed, but a CLONE, which has a query.
 */
private[delta] object CheckCopiedOrder extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    UnexpectedError.named("The check of a table's order")(plan.resolveOperators {
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
