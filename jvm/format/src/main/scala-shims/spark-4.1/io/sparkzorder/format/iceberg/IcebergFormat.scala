// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.{ZOrderAnalysisException, ZOrderErrors}
import io.sparkzorder.format.{ClusterableTable, TableFormat, UnresolvedPathTable}
import io.sparkzorder.format.iceberg.listing.TableBranch
import io.sparkzorder.format.iceberg.scan.{IcebergScan, PrunableIcebergScan}
import io.sparkzorder.skipping.predicate.ReaderScan

import org.apache.iceberg.BaseMetadataTable
import org.apache.iceberg.exceptions.ValidationException
import org.apache.iceberg.spark.SparkCatalog
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.{CatalogPlugin, Identifier, TableCatalog}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** The way from a catalog of Iceberg's to a table in it. */
object IcebergFormat extends TableFormat {

  override def name: String = IcebergMissing.name

  override def isFoundByFolder: Boolean = IcebergMissing.isFoundByFolder

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    table.table match {
      case found: SparkTable =>
        val parts = table.catalog.name +: table.identifier.namespace.toSeq :+ table.identifier.name
        val named = parts.map(quoteIfNeeded).mkString(".")
        if (found.table.isInstanceOf[BaseMetadataTable])
          throw ZOrderErrors.icebergNotRewritable(
            named,
            "it shows metadata of a table. Name the table itself")
        requireLatest(named, found, table.identifier.name)
        Some(new IcebergTable(found.table, named, Option(found.branch)))
      case _ => None
    }

  // As `SparkCatalog` reads the last part of a name.
  private val Version = "(at_timestamp|snapshot_id|tag)_.+".r

  private def requireLatest(named: String, found: SparkTable, last: String): Unit = {
    // A table may be called so itself.
    val isSelector = !found.table.name.endsWith(s".$last")
    if (isSelector && Version.matches(last)) throw ZOrderErrors.timeTravel(named)
  }

  override def requireNamed(session: SparkSession, parts: Seq[String]): Unit =
    if (parts.last.startsWith(TableBranch.Selector)) {
      val catalogs = session.sessionState.catalogManager
      val (catalog, name) =
        if (catalogs.isCatalogRegistered(parts.head)) (catalogs.catalog(parts.head), parts.tail)
        else (catalogs.currentCatalog, parts)
      catalog match {
        case tables: TableCatalog if name.size > 2 => requireBranch(tables, name)
        case _ =>
      }
    }

  /** @param name of a table and a branch, without the catalog */
  private def requireBranch(catalog: TableCatalog, name: Seq[String]): Unit = {
    def load(parts: Seq[String]) = catalog.loadTable(Identifier.of(parts.init.toArray, parts.last))
    try load(name): Unit
    catch {
      case _: ValidationException =>
        load(name.init) match {
          case found: SparkTable =>
            val table = (catalog.name +: name.init).map(quoteIfNeeded).mkString(".")
            val branch = name.last.stripPrefix(TableBranch.Selector)
            throw ZOrderErrors.icebergNoBranch(table, branch, TableBranch.namesIn(found.table))
          case _ =>
        }
      // Spark says it.
      case _: AnalysisException =>
    }
  }

  override def atPath(session: SparkSession, named: UnresolvedPathTable, table: String): Option[LogicalPlan] =
    IcebergMissing.atPath(session, named, table)

  override def rewriteText(table: ResolvedTable, columns: Seq[ColumnPath], targetFileBytes: Long): Option[String] =
    IcebergMissing.rewriteText(table, columns, targetFileBytes)

  /** Its files are read by Iceberg's own reader, which Spark sees as no scan of files. */
  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = None

  override def readVolume(scan: BatchScanExec): Option[TableFormat.ReadVolume] = IcebergScan.of(scan).map(_.volume)

  override def prunable(scan: BatchScanExec): Option[ReaderScan] = PrunableIcebergScan.of(scan)

  override def bytesOfVersion(scan: Scan): Option[BigInt] = PrunableIcebergScan.bytesOf(scan)

  override def writesInOrder: Boolean = true

  override def isDefaultOf(catalog: CatalogPlugin): Boolean = catalog.isInstanceOf[SparkCatalog]

  override def keepsProperties: Boolean = true

  override def partitionsUndoOrder(table: String): Option[ZOrderAnalysisException] =
    Some(OrderIcebergWrites.ofPartitions(table))

  override def normalizationRules: Seq[SparkSession => Rule[LogicalPlan]] = Seq(_ => OrderIcebergWrites)
}
