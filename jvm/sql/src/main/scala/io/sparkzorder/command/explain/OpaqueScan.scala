// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.explain

import java.util.Locale

import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.{DataSourceScanExec, FileSourceScanExec, RowDataSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanExecBase}
import org.apache.spark.sql.sources.DataSourceRegister

/** A scan of which nobody but its own source knows how much it reads. */
private[command] object OpaqueScan {

  def note(scan: SparkPlan): String = s"cannot tell how much is read: ${reason(scan)}"

  /** Other readers than Spark's may read Parquet files, too, as Iceberg's and Hive's do. */
  private def reason(scan: SparkPlan): String = scan match {
    case s: FileSourceScanExec if !s.relation.fileFormat.isInstanceOf[ParquetFileFormat] =>
      s"the scan is of ${kind(scan)}, not of Parquet files"
    case _ => s"the scan is by the reader of ${kind(scan)}, which does not tell which files it skips"
  }

  /** Its name in the catalog, or what else there is to tell it by. */
  def name(scan: SparkPlan): String = scan match {
    case s: DataSourceScanExec if s.tableIdentifier.isDefined => ScannedTable.nameOf(s.tableIdentifier.get)
    case s: FileSourceScanExec =>
      s.relation.location.rootPaths.map(p => s"${kind(s)}.${quoteIfNeeded(p.toUri.getPath)}").mkString(", ")
    case s: BatchScanExec => s.table.name
    case other => other.nodeName
  }

  /** What it reads, such as csv, jdbc or iceberg. */
  private def kind(scan: SparkPlan): String = scan match {
    case s: FileSourceScanExec => registered(s.relation.fileFormat, "FileFormat")
    case s: RowDataSourceScanExec => registered(s.relation, "Relation")
    case s: BatchScanExec => Option(s.table.properties.get("provider")).getOrElse(registered(s.table, "Table"))
    case s: DataSourceV2ScanExecBase => registered(s.scan, "Scan")
    case _ => "hive"
  }

  private def registered(source: AnyRef, suffix: String): String = source match {
    case named: DataSourceRegister => named.shortName().toLowerCase(Locale.ROOT)
    case other => other.getClass.getSimpleName.stripSuffix(suffix).toLowerCase(Locale.ROOT)
  }
}
