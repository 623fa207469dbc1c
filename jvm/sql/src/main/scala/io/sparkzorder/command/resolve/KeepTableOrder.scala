// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{ColumnPath, OrderColumns, TableOrder}
import io.sparkzorder.errors.{UnexpectedError, ZOrderErrors}
import io.sparkzorder.format.TableFormats

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTableType
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * Keeps the order of a table true: `CREATE TABLE ... LIKE` takes it over, and what would leave it without one of its
 * columns is refused. Spark refuses the same of tables of its own catalog, whatever their order.
 *
 * To adapt the order to a new name would be a second commit of the catalog, with an order that names no column between.
 */
class KeepTableOrder(session: SparkSession, formats: TableFormats) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    UnexpectedError.named("The check of a table's order")(
      plan.resolveOperatorsUpWithPruning(_.containsPattern(COMMAND)) {
        case like: CreateTableLikeCommand => withOrder(like)
        case statement @ CatalogLike(like) if formats.touchOrder(like.properties) => checked(like).getOrElse(statement)

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
          if (columnsOfOrder(found).nonEmpty) throw ZOrderErrors.sortByAndClustering(OrderedTable.of(found).name)
          cluster
      })

  /**
   * Spark takes over no properties. Where the format's catalog makes the table it takes all of them, so that ours,
   * which come first, are what it takes as well. All is checked together, what the statement sets and what it takes
   * over.
   */
  private def withOrder(like: CreateTableLikeCommand): CreateTableLikeCommand = {
    val catalog = session.sessionState.catalog
    if (catalog.isTempView(like.sourceTable) || !catalog.tableExists(like.sourceTable)) like
    else {
      val source = catalog.getTableMetadata(like.sourceTable)
      val target = source.copy(
        identifier =
          like.targetTable.copy(database = like.targetTable.database.orElse(Some(catalog.getCurrentDatabase))),
        provider = like.provider.orElse(like.fileFormat.inputFormat.map(_ => "hive")).orElse(source.provider),
        storage = if (like.fileFormat.inputFormat.isDefined) like.fileFormat else source.storage
      )
      val table = OrderedTable.of(target, None)
      // Where the format's catalog has made the table, Spark's entry knows neither its columns nor its properties.
      val isKnown = source.tableType != CatalogTableType.VIEW && source.schema.nonEmpty
      if (!isKnown || !table.canHaveOrder(formats)) like
      else {
        val order = source.properties.filter(p => TableOrder.PropertyNames.contains(p._1))
        val takenOver = if (like.properties.contains(TableOrder.Columns)) Map.empty[String, String] else order
        val properties = takenOver ++ like.properties
        if (TableOrder.isIn(properties)) like.copy(properties = table.checked(properties, formats)) else like
      }
    }
  }

  /** Where the format's catalog makes the table, it adds what the statement sets to the other's properties. */
  private def checked(like: CatalogLike): Option[LogicalPlan] =
    if (SparkInternals.catalogTable(like.source.table).isDefined) None
    else {
      val source = OrderedTable.of(like.source)
      val table = source.copy(
        name = (like.target.namespace :+ like.target.name).map(quoteIfNeeded).mkString("."),
        format = like.provider.fold(source.format)(TableFormats.shortName))
      val properties = propertiesOfOrder(like.source) ++ like.properties
      if (!table.canHaveOrder(formats) || !TableOrder.isIn(properties)) None
      else {
        val checked = table.checked(properties, formats)
        Some(like.withProperties(like.properties.map { case (name, _) => name -> checked(name) }))
      }
    }

  /** @param takes whether the statement takes a column of the order from the table */
  private def refuse(statement: String, found: ResolvedTable)(takes: Seq[String] => Boolean): Unit =
    columnsOfOrder(found).find(takes).foreach { column =>
      // Whatever its other properties say: another program may have set them to values that there are not.
      val kind = Option(found.table.properties.get(TableOrder.Order)).fold("")(k => s"${k.trim} ")
      val columns = columnsOfOrder(found).map(ColumnPath(_)).mkString(", ")
      throw ZOrderErrors.sortColumnInUse(
        statement,
        ColumnPath(column).toString,
        OrderedTable.of(found).name,
        s"SORT BY $kind($columns)")
    }

  private def propertiesOfOrder(found: ResolvedTable): Map[String, String] = {
    import scala.jdk.CollectionConverters._
    found.table.properties.asScala.toMap.filter(p => TableOrder.PropertyNames.contains(p._1))
  }

  private def columnsOfOrder(found: ResolvedTable): Seq[Seq[String]] = {
    val columns = TableOrder.columnsIn(propertiesOfOrder(found))
    if (columns.nonEmpty && OrderedTable.of(found).canHaveOrder(formats)) columns else Nil
  }

  /** Whether a column is another one, or a field of it. */
  private def isBelow(path: Seq[String], other: Seq[String]): Boolean =
    path.size >= other.size && path.zip(other).forall { case (a, b) => conf.resolver(a, b) }
}
