// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, OrderColumns, TableOrder}
import io.sparkzorder.errors.{Unforeseen, ZOrderErrors}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.types.StructType

/**
 * Keeps the order of a table true: `CREATE TABLE ... LIKE` takes it over, and what would leave it without one of its
 * columns is refused. Spark refuses the same of tables of its own catalog, whatever their order.
 *
 * To adapt the order to a new name would be a second commit of the catalog, with an order that names no column between.
 */
class KeepTableOrder(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    Unforeseen.named("The check of a table's order")(plan.resolveOperatorsUp {
      case like: CreateTableLikeCommand => withOrder(like)

      case rename @ RenameColumn(found: ResolvedTable, column, _) =>
        refuse("ALTER TABLE ... RENAME COLUMN", found)(isBelow(_, column.name))
        rename
      case drop @ DropColumns(found: ResolvedTable, columns, _) =>
        refuse("ALTER TABLE ... DROP COLUMN", found)(path => columns.exists(c => isBelow(path, c.name)))
        drop
      case replace @ ReplaceColumns(found: ResolvedTable, columns) =>
        val schema = columns.foldLeft(new StructType)((s, c) => s.add(c.colName, c.dataType))
        refuse("ALTER TABLE ... REPLACE COLUMNS", found)(OrderColumns.find(_, schema, conf.resolver).isEmpty)
        replace
      case cluster @ AlterTableClusterBy(found: ResolvedTable, Some(spec)) if spec.columnNames.nonEmpty =>
        order(found).foreach(_ => throw ZOrderErrors.sortByAndClustering(OrderedTable.of(found).name))
        cluster
    })

  /**
   * Spark takes over no properties. Where Delta makes the table it takes all of them, so that ours, which come first,
   * are what it takes as well.
   */
  private def withOrder(like: CreateTableLikeCommand): CreateTableLikeCommand = {
    val catalog = session.sessionState.catalog
    val hasOwn = like.properties.contains(TableOrder.Columns)
    if (catalog.isTempView(like.sourceTable) || !catalog.tableExists(like.sourceTable)) like
    else {
      val source = catalog.getTableMetadata(like.sourceTable)
      val target = source.copy(
        identifier = like.targetTable,
        provider = like.provider.orElse(like.fileFormat.inputFormat.map(_ => "hive")).orElse(source.provider),
        storage = if (like.fileFormat.inputFormat.isDefined) like.fileFormat else source.storage
      )
      val table = OrderedTable.of(target, None)
      val order = source.properties.filter(p => TableOrder.PropertyNames.contains(p._1))
      // The entry of a Delta table in the catalog knows neither its columns nor its properties.
      val isKnown = source.tableType != CatalogTableType.VIEW && source.schema.nonEmpty
      if (hasOwn && isKnown) like.copy(properties = table.checked(like.properties))
      else if (!hasOwn && isKnown && table.canHaveOrder && order.contains(TableOrder.Columns))
        like.copy(properties = order ++ like.properties)
      else like
    }
  }

  /** @param takes whether the statement takes a column of the order from the table */
  private def refuse(statement: String, found: ResolvedTable)(takes: Seq[String] => Boolean): Unit =
    for {
      order <- order(found)
      column <- order.columns.find(takes)
    } throw ZOrderErrors.sortColumnInUse(
      statement,
      ColumnPath(column).toString,
      OrderedTable.of(found).name,
      order.toString)

  private def order(found: ResolvedTable): Option[TableOrder] = {
    import scala.jdk.CollectionConverters._
    val properties = found.table.properties.asScala.toMap.filter(p => TableOrder.PropertyNames.contains(p._1))
    if (!properties.contains(TableOrder.Columns) || !OrderedTable.of(found).canHaveOrder) None
    else TableOrder.of(OrderedTable.of(found).name, properties)
  }

  /** Whether a column is another one, or a field of it. */
  private def isBelow(path: Seq[String], other: Seq[String]): Boolean =
    path.size >= other.size && path.zip(other).forall { case (a, b) => conf.resolver(a, b) }
}
