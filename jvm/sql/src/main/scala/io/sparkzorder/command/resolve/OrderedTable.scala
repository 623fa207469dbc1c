// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.column.{OrderColumns, TableOrder}
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.TableFormats
import io.sparkzorder.plan.TableProperties

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpecBase,
  V2CreateTablePlan
}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * What decides whether a table can have an order: an existing table, or one that a statement creates.
 *
 * @param name
 *   name of the table, for messages
 * @param format
 *   in lower case
 * @param schema
 *   None where only the files show it
 * @param isPartitioned
 *   whether it has partitions, by columns or by functions of some
 * @param isBucketed
 *   whether it has CLUSTERED BY
 * @param isClustered
 *   whether it has CLUSTER BY
 */
private[resolve] final case class OrderedTable(
    name: String,
    format: String,
    schema: Option[StructType],
    partitionColumns: Seq[String],
    isPartitioned: Boolean,
    isBucketed: Boolean,
    isClustered: Boolean) {

  def canHaveOrder(formats: TableFormats): Boolean = formats.named(format).exists(_.writesInOrder)

  /**
   * The properties with the columns of the order, if they have one, as the table spells them.
   *
   * @throws ZOrderAnalysisException
   *   where the table cannot have the order
   */
  def checked(properties: Map[String, String], formats: TableFormats): Map[String, String] =
    TableOrder.of(name, properties).fold(properties) { order =>
      if (!canHaveOrder(formats)) throw ZOrderErrors.unsortableFormat(name, format)
      // A partition by buckets is one of Iceberg's.
      if (isPartitioned || isBucketed) formats.named(format).flatMap(_.partitionsUndoOrder(name)).foreach(throw _)
      if (isBucketed) throw ZOrderErrors.sortByAndBuckets(name)
      if (isClustered) throw ZOrderErrors.sortByAndClustering(name)
      formats.named(format).flatMap(_.undoesOrder(properties)).foreach { setting =>
        throw ZOrderErrors.sortByAndOptimizedWrites(name, setting)
      }
      OrderColumns.checkNumber(order, name)
      val columns = schema.fold(order.columns) {
        OrderColumns.of(order, name, _, partitionColumns, SQLConf.get.resolver).map(_.path.parts)
      }
      properties ++ TableOrder.properties(columns, order.isZOrder)
    }
}

private[resolve] object OrderedTable {

  /** As Spark's properties of a table call the columns of CLUSTER BY. */
  private val ClusteringColumns = CatalogTable.PROP_CLUSTERING_COLUMNS

  private val buckets = Set("bucket", "sorted_bucket")
  // Spark's own, and Delta's.
  private val clusters = Set("cluster_by", "temp_cluster_by")

  /** The table that a resolved plan creates in a catalog of the second kind; None for every other plan. */
  def of(plan: LogicalPlan, formats: TableFormats): Option[OrderedTable] = plan match {
    case create: V2CreateTablePlan if create.resolved =>
      (create.name, TableProperties.spec(create)) match {
        case (ResolvedIdentifier(catalog, identifier), Some(spec)) =>
          val isSparks = SparkInternals.isSessionCatalog(catalog)
          val format = formatOf(spec).getOrElse {
            if (isSparks) SQLConf.get.defaultDataSourceName
            else formats.defaultOf(catalog).fold(s"of the catalog ${catalog.name}")(_.name)
          }
          val name = if (isSparks) quoted(identifier) else s"${quoteIfNeeded(catalog.name)}.${quoted(identifier)}"
          Some(of(name, format, schema(create), create.partitioning, isClustered = false))
        case _ => None
      }
    case _ => None
  }

  /**
   * A table of Spark's own catalog.
   *
   * @param query
   *   what it is created from
   */
  def of(table: CatalogTable, query: Option[LogicalPlan]): OrderedTable = {
    val schema = query.map(_.schema).orElse(Some(table.schema)).filter(_.nonEmpty)
    OrderedTable(
      (table.identifier.database.toSeq :+ table.identifier.table).map(quoteIfNeeded).mkString("."),
      TableFormats.formatOf(table),
      schema,
      table.partitionColumnNames,
      table.partitionColumnNames.nonEmpty,
      table.bucketSpec.isDefined,
      isClustered(table.properties)
    )
  }

  /** An existing table. */
  def of(found: ResolvedTable): OrderedTable = SparkInternals.catalogTable(found.table) match {
    case Some(table) => of(table, None)
    case None =>
      import scala.jdk.CollectionConverters._
      of(
        quoted(found.identifier),
        TableFormats.provider(found),
        Some(DataTypeUtils.fromAttributes(found.output)),
        found.table.partitioning.toSeq,
        isClustered(found.table.properties.asScala.toMap)
      )
  }

  private def of(
      name: String,
      format: String,
      schema: Option[StructType],
      partitioning: Seq[Transform],
      isClustered: Boolean): OrderedTable = OrderedTable(
    name,
    TableFormats.shortName(format),
    schema,
    partitioning.filter(_.name == "identity").flatMap(_.references.map(_.fieldNames.head)),
    partitioning.nonEmpty,
    partitioning.exists(t => buckets(t.name)),
    isClustered || partitioning.exists(t => clusters(t.name))
  )

  private def schema(plan: V2CreateTablePlan): Option[StructType] = (plan match {
    case c: CreateTable => Some(c.tableSchema)
    case c: CreateTableAsSelect => Some(c.query.schema)
    case r: ReplaceTable => Some(r.tableSchema)
    case r: ReplaceTableAsSelect => Some(r.query.schema)
    case _ => None
  }).filter(_.nonEmpty)

  private def formatOf(spec: TableSpecBase): Option[String] =
    spec.provider.orElse(spec.serde.map(serde => serde.storedAs.orElse(serde.serde).getOrElse("hive")))

  private def isClustered(properties: Map[String, String]): Boolean =
    properties.get(ClusteringColumns).exists(_ != "[]")

  private def quoted(identifier: Identifier): String =
    (identifier.namespace :+ identifier.name).map(quoteIfNeeded).mkString(".")
}
