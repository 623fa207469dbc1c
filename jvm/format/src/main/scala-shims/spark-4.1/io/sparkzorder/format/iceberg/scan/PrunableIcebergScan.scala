// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.iceberg.listing.TablePredicate
import io.sparkzorder.skipping.dynamic.ReaderFiles
import io.sparkzorder.skipping.predicate.{ListedStatistics, PrunesFiles, ReaderScan}

import org.apache.iceberg.BaseMetadataTable
import org.apache.spark.sql.catalyst.expressions.{Expression, In, InSet}
import org.apache.spark.sql.connector.read.{Scan, SupportsReportStatistics, SupportsRuntimeV2Filtering}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/** A scan of a version of an Iceberg table, for the rules that let it leave out files. */
private[iceberg] final class PrunableIcebergScan private (
    node: BatchScanExec,
    theirs: IcebergScan.Theirs,
    statistics: ScanStatistics)
    extends ReaderScan {

  private val (ofFiles, ofSpark) = PrunesFiles.among(node.runtimeFilters)

  override def filters: Seq[Expression] = ofFiles

  override def bytes: BigInt = PrunableIcebergScan.bytesOf(theirs).getOrElse(BigInt(0))

  // Iceberg looks at no file by a longer list.
  override def isPlannedBy(filter: Expression): Boolean =
    TablePredicate.of(filter).isDefined && !filter.exists {
      case In(_, list) => list.size > PrunableIcebergScan.MostInList
      case InSet(_, values) => values.size > PrunableIcebergScan.MostInList
      case _ => false
    }

  override def readsAll: Boolean = ofSpark.isEmpty

  override def tellsApart(keys: Seq[Expression], mayLoad: Boolean): Boolean =
    try {
      val known = if (mayLoad) Some(statistics.load(keys)) else statistics.loaded(keys)
      known.forall(ReaderFiles.tellApart(keys, _))
    } catch { case ListedStatistics.Failure(_) => true }

  override def withFilters(filters: Seq[Expression]): BatchScanExec = {
    val runtimeFilters = ofSpark ++ filters.map(PrunesFiles(_))
    val copy =
      if (filters.isEmpty) node.copy(scan = theirs, runtimeFilters = runtimeFilters)
      else
        new PrunedScanExec(
          node.output,
          new PrunedScan(node, theirs, statistics, Nil),
          runtimeFilters,
          node.ordering,
          node.table,
          node.spjParams)
    copy.copyTagsFrom(node)
    copy
  }
}

private[iceberg] object PrunableIcebergScan {

  /** As Iceberg's `InclusiveMetricsEvaluator` has it. */
  private val MostInList = 200

  /**
   * None for scans of files that are to be rewritten as a whole, and for those of which Spark needs the files in their
   * partitions.
   */
  def of(node: BatchScanExec): Option[PrunableIcebergScan] = node.scan match {
    case pruned: PrunedScan if node.isInstanceOf[PrunedScanExec] =>
      Some(new PrunableIcebergScan(node, pruned.theirs, pruned.statistics))
    case scan: Scan with SupportsRuntimeV2Filtering with SupportsReportStatistics
        if node.getClass == classOf[BatchScanExec] && node.keyGroupedPartitioning.isEmpty && readsVersion(scan) =>
      ScanStatistics.of(scan).map(new PrunableIcebergScan(node, scan, _))
    case _ => None
  }

  private def readsVersion(scan: Scan): Boolean =
    ScanInternals.readsVersion(scan) && ScanInternals.table(scan).exists(!_.isInstanceOf[BaseMetadataTable])

  /** Bytes of the files that a scan of a version of a table reads; None for every other scan. */
  def bytesOf(scan: Scan): Option[BigInt] =
    if (!readsVersion(scan)) None
    else ScanInternals.taskGroups(scan).map(_.asScala.map(group => BigInt(group.sizeBytes)).sum)
}
