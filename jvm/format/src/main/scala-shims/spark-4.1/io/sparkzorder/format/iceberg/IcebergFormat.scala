// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableFormat, UnresolvedPathTable}

import org.apache.iceberg.BaseMetadataTable
import org.apache.iceberg.spark.source.SparkTable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** The way from a catalog of Iceberg's to a table in it. */
object IcebergFormat extends TableFormat {

  override def name: String = IcebergMissing.name

  override def isToldByFolder: Boolean = IcebergMissing.isToldByFolder

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    table.table match {
      case found: SparkTable =>
        val parts = table.catalog.name +: table.identifier.namespace.toSeq :+ table.identifier.name
        val named = parts.map(quoteIfNeeded).mkString(".")
        if (found.table.isInstanceOf[BaseMetadataTable])
          throw ZOrderErrors.icebergNotRewritable(
            named,
            "it shows metadata of a table. Name the table itself")
        requireMain(named, found, table.identifier.name)
        Some(new IcebergTable(found.table, named))
      case _ => None
    }

  // As `SparkCatalog` reads the last part of a name.
  private val Version = "(at_timestamp|snapshot_id|tag)_.+".r

  private def requireMain(named: String, found: SparkTable, last: String): Unit = {
    // A table may be called so itself.
    val isSelector = !found.table.name.endsWith(s".$last")
    if (found.branch != null)
      throw ZOrderErrors.icebergNotRewritable(
        named,
        "it names a branch, and only the main branch is rewritten. Name the table alone")
    if (isSelector && Version.matches(last)) throw ZOrderErrors.timeTravel(named)
  }

  override def atPath(session: SparkSession, named: UnresolvedPathTable, table: String): Option[LogicalPlan] =
    IcebergMissing.atPath(session, named, table)

  /** Its files are read by Iceberg's own reader, which Spark sees as no scan of files. */
  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = None

  override def readVolume(scan: BatchScanExec): Option[TableFormat.ReadVolume] = IcebergScan.of(scan).map(_.volume)

  override def writesInOrder: Boolean = false
}
