// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.collection.mutable

import io.sparkzorder.config.ZOrderConf

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  HadoopFsRelation,
  InMemoryFileIndex,
  PartitionDirectory,
  PartitionSpec,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetFileFormat, ParquetUtils}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetScan

/**
 * Puts a [[ParquetTableFileIndex]] in front of the files that scans of plain Parquet relations list. It reads no file.
 *
 * This is done to the physical plan, because only there does it come after Spark's own pruning of catalog partitions,
 * which wants to see its own file index, and after the planner strategies of other extensions: Delta's takes the scans
 * of all files. Logical plans, their statistics and cached plans stay as Spark has them.
 *
 * `spark.sql.zorder.skipping.enabled` is read here. Off, listings still go through our file index, which then leaves
 * nothing out but the files that a rewrite under way has too much.
 */
final class ReplaceParquetListing(session: SparkSession, source: IndexSource) extends ScanRule {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case scan: FileSourceScanExec if isPlain(scan) => indexed(scan)
    case scan: BatchScanExec if scan.getClass == classOf[BatchScanExec] => current(scan)
  }

  /** Of Spark's V2 reader (`spark.sql.sources.useV1SourceList`): each row once, too, but no file is skipped. */
  private def current(scan: BatchScanExec): BatchScanExec = scan.scan match {
    case parquet: ParquetScan if parquet.fileIndex.getClass == classOf[InMemoryFileIndex] =>
      scan.copy(scan = parquet.copy(fileIndex = new CurrentFileIndex(session, parquet.fileIndex, source)))
    case _ => scan
  }

  private def indexed(scan: FileSourceScanExec): FileSourceScanExec = {
    val relation = scan.relation
    val conf = session.sessionState.conf
    // Columns that are found by their ids may have other names in the files.
    val byName = !(conf.parquetFieldIdReadEnabled && ParquetUtils.hasFieldIds(relation.schema))
    val skipping = byName && ZOrderConf.skipping(conf)
    val index = new ParquetTableFileIndex(session, relation.location, source, skipping, scan.tableIdentifier)
    val over = scan.copy(relation = relation.copy(location = index)(relation.sparkSession))
    if (skipping && scan.dataFilters.nonEmpty) IndexedScanExec.of(over) else over
  }

  // The classes themselves: Delta and other formats extend them with statistics and listings of their own. Bucketed
  // scans look at the listing while they are planned.
  private def isPlain(scan: FileSourceScanExec): Boolean =
    scan.getClass == classOf[FileSourceScanExec] && scan.stream.isEmpty && isPlainParquet(scan.relation)

  private def isPlainParquet(relation: HadoopFsRelation): Boolean =
    relation.bucketSpec.isEmpty && relation.fileFormat.getClass == classOf[ParquetFileFormat] &&
      (relation.location.getClass == classOf[InMemoryFileIndex] || relation.location.getClass == classOf[
        CatalogFileIndex])
}

/**
 * A rule over scans. To be injected both for adaptive plans, as a rule that prepares query stages, and for plans that
 * are about to run, adaptive or not, as a columnar rule.
 */
trait ScanRule extends Rule[SparkPlan] {

  /** The rule for plans that are about to run. */
  protected def ofLastPlan: Rule[SparkPlan] = this

  final def inColumnarRules: ColumnarRule = new ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = ofLastPlan
  }
}

/**
 * The files of a relation of Spark's V2 reader, each row once, as [[ParquetTableFileIndex]] has them; none is skipped.
 *
 * That reader takes file indexes of this class only. It asks for [[listFiles]]; the rest is as `files` has it.
 */
private[skipping] final class CurrentFileIndex(
    session: SparkSession,
    val files: PartitioningAwareFileIndex,
    source: IndexSource)
    extends PartitioningAwareFileIndex(session, Map.empty, None) {

  private val current = new ParquetTableFileIndex(session, files, source, skipping = false)

  override def listFiles(partitionFilters: Seq[Expression], dataFilters: Seq[Expression]): Seq[PartitionDirectory] =
    current.listFiles(partitionFilters, dataFilters)

  override def partitionSpec(): PartitionSpec = files.partitionSpec()

  override def rootPaths: Seq[Path] = files.rootPaths

  override def allFiles(): Seq[FileStatus] = files.allFiles()

  override def refresh(): Unit = files.refresh()

  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] =
    mutable.LinkedHashMap.from(files.allFiles().map(f => f.getPath -> f))

  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] =
    files.allFiles().toArray.groupBy(_.getPath.getParent)

  // Scans of one relation share an exchange.
  override def equals(other: Any): Boolean = other match {
    case index: CurrentFileIndex => files == index.files
    case _ => false
  }

  override def hashCode: Int = files.hashCode
}
