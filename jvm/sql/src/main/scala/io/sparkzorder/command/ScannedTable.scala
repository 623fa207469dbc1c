// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.util.Locale

import io.sparkzorder.format.TableFormat
import io.sparkzorder.skipping.dynamic.BoundsQueryExec
import io.sparkzorder.skipping.scan.FutureJoinKeys

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.{
  DataSourceScanExec,
  FileSourceScanExec,
  ReusedSubqueryExec,
  RowDataSourceScanExec,
  SparkPlan,
  SubqueryAdaptiveBroadcastExec
}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.datasources.{
  BucketingUtils,
  CatalogFileIndex,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.v2.{BatchScanExec, DataSourceV2ScanExecBase}
import org.apache.spark.sql.sources.DataSourceRegister

/**
 * A table as one scan of a query sees it.
 *
 * @param known
 *   the facts that its format knows of the scan
 * @param query
 *   the plan of the query, analysed and not yet optimised
 */
private[command] class ScannedTable(scan: FileSourceScanExec, known: TableFormat.Scan, query: LogicalPlan) {

  private val relation = scan.relation

  /** Its name in the catalog, or its format and folder: `` spark_catalog.default.t ``, `` delta.`/data/t` ``. */
  def name: String = scan.tableIdentifier match {
    case Some(table) => ScannedTable.nameOf(table)
    case None =>
      relation.location.rootPaths.map(p => s"${known.format}.`${p.toUri.getPath.replace("`", "``")}`").mkString(", ")
  }

  /** The files that the scan opens: those that it lists by itself while it is planned, in the buckets that it reads. */
  def filesRead: IndexedSeq[FileStatus] =
    scan.selectedPartitions.filePartitionIterator
      .flatMap(_.files)
      .map(_.fileStatus)
      .filter(f => isInBuckets(f.getPath))
      .toIndexedSeq

  private def isInBuckets(file: Path): Boolean =
    !relation.sparkSession.sessionState.conf.bucketingEnabled || scan.optionalBucketSet.forall { buckets =>
      BucketingUtils.getBucketId(file.getName).forall(buckets.get)
    }

  /** All files of the table, those that the scan reads among them. */
  def files: IndexedSeq[FileStatus] = {
    val all = known.files.getOrElse(beforePruning.listFiles(Nil, Nil).flatMap(_.files).map(_.fileStatus))
    // Tables without a log may have changed since the scan was planned.
    (all ++ filesRead).distinctBy(_.getPath).toIndexedSeq
  }

  /** What is known of the scan only when it runs; None if nothing is. */
  def note: Option[String] = FutureJoinKeys.note(scan.dataFilters)

  /** The optimiser replaces the file index of a partitioned table by one over the partitions that the query names. */
  private def beforePruning: FileIndex = {
    val ofCatalog = query.collectWithSubqueries {
      case LogicalRelation(HadoopFsRelation(index: CatalogFileIndex, _, _, _, _, _), _, Some(table), _, _)
          if scan.tableIdentifier.contains(table.identifier) =>
        index
    }
    ofCatalog.headOption.getOrElse(relation.location)
  }
}

private[command] object ScannedTable {

  /** A table's name in the catalog, as statements take it. */
  def nameOf(table: TableIdentifier): String = table.nameParts.map(quoteIfNeeded).mkString(".")
}

/** Finds the scans of tables in a physical plan that has not run. */
private[command] object QueryScans extends AdaptiveSparkPlanHelper {

  /** In the order of the plan, then those of its subqueries; a scan whose rows Spark uses again is there once. */
  def of(plan: SparkPlan): Seq[SparkPlan] =
    (plan +: subqueries(plan)).flatMap(collect(_) { case scan if isScan(scan) => scan })

  private def isScan(plan: SparkPlan): Boolean = plan match {
    case _: DataSourceScanExec | _: DataSourceV2ScanExecBase => true
    // Of a module of Spark that need not be there.
    case other => other.getClass.getSimpleName == "HiveTableScanExec"
  }

  /**
   * A subquery stands in the plan as often as an expression with it does (the scan's filter is also that of its parent,
   * a filter), and runs once. Adaptive execution gives a dynamic pruning subquery the rows of the join's other side,
   * which is in the plan, or drops it. Our own query for the bounds of a join reads again what is in the plan.
   */
  private def subqueries(plan: SparkPlan): Seq[SparkPlan] = {
    val own = flatMap(plan)(_.subqueries).filter {
      case _: SubqueryAdaptiveBroadcastExec | _: ReusedSubqueryExec | _: BoundsQueryExec => false
      case _ => true
    }
    (own ++ own.flatMap(subqueries)).distinctBy(_.canonicalized)
  }
}

/** A scan of which nobody but its own source knows how much it reads. */
private[command] object OpaqueScan {

  def note(scan: SparkPlan): String = s"cannot tell how much is read: ${reason(scan)}"

  /** Readers other than Spark's read Parquet files, too. */
  private def reason(scan: SparkPlan): String = scan match {
    case s: FileSourceScanExec if !s.relation.fileFormat.isInstanceOf[ParquetFileFormat] =>
      s"the scan is of ${kind(scan)}, not of Parquet files"
    case _ => s"the scan is by the reader of ${kind(scan)}, which does not tell which files it skips"
  }

  /** Its name in the catalog, or what else identifies it. */
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
