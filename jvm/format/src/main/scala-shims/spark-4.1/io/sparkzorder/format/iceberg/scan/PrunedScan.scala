// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._

import io.sparkzorder.skipping.dynamic.ReaderFiles
import io.sparkzorder.skipping.predicate.ListedStatistics

import org.apache.iceberg.{BaseScanTaskGroup, FileScanTask, ScanTaskGroup}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.NamedReference
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read.{
  Batch,
  Scan,
  Statistics,
  SupportsReportStatistics,
  SupportsRuntimeV2Filtering
}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.StructType

/**
 * A scan of Iceberg's without the files in which, by the bounds in the manifests, no row is of use. Iceberg's own scan
 * leaves out partitions by the keys of joins, never files.
 *
 * What is left out is that alone of which bounds say so: a file that Iceberg has planned and that is not found again
 * stays. Iceberg's scan itself is not changed, since other nodes of a plan may read it, too.
 *
 * @param node
 *   what it stands in the place of
 * @param filters
 *   by which files are left out: of the node that reads it, whose copies each have a scan of their own
 */
private[iceberg] final class PrunedScan(
    node: BatchScanExec,
    val theirs: IcebergScan.Theirs,
    private[scan] val statistics: ScanStatistics,
    filters: Seq[Expression])
    extends Scan
    with SupportsRuntimeV2Filtering
    with SupportsReportStatistics
    with Logging {

  @volatile private var prunedByFilters, prunedByKeys = 0L

  /** The same for a copy of the node. */
  def withFilters(other: Seq[Expression]): PrunedScan = new PrunedScan(node, theirs, statistics, other)

  override def readSchema: StructType = theirs.readSchema

  override def description: String = theirs.description

  override def estimateStatistics: Statistics = theirs.estimateStatistics

  // As for all of the files, whose tasks Spark would plan once more to find out.
  override def columnarSupportMode: Scan.ColumnarSupportMode =
    if (node.supportsColumnar) Scan.ColumnarSupportMode.SUPPORTED else Scan.ColumnarSupportMode.UNSUPPORTED

  override def supportedCustomMetrics: Array[CustomMetric] =
    theirs.supportedCustomMetrics ++ Seq(new FilesPrunedByBounds, new FilesPrunedByKeys)

  override def reportDriverMetrics: Array[CustomTaskMetric] =
    theirs.reportDriverMetrics ++ PrunedFileMetrics.of(prunedByFilters, prunedByKeys)

  override def filterAttributes: Array[NamedReference] = theirs.filterAttributes

  override def filter(predicates: Array[Predicate]): Unit = theirs.filter(predicates)

  /** All files: a plan is made for these, and the readers of some of them are those of all. */
  override def toBatch: Batch = theirs.toBatch

  /** Without files; asked when the filters have their values. */
  def prunedBatch: Batch = {
    val batch = theirs.toBatch
    left.flatMap(ScanInternals.withTaskGroups(batch, _)).getOrElse(batch)
  }

  /** What is left of Iceberg's tasks by filters that have values by now; None where that is all of them. */
  def left: Option[JavaList[ScanTaskGroup[_]]] =
    try
      for {
        groups <- ScanInternals.taskGroups(theirs) if filters.nonEmpty
        pruned <- leftOf(groups.asScala.toSeq)
      } yield pruned.asJava
    catch {
      case ListedStatistics.Failure(e) =>
        logWarning(s"Files of ${statistics.tableName} cannot be left out by their bounds: queries read them all.", e)
        None
    }

  private def leftOf(groups: Seq[ScanTaskGroup[_]]): Option[Seq[ScanTaskGroup[_]]] = {
    val planned = groups.flatMap(_.tasks.asScala).collect { case task: FileScanTask => task.file.location }.distinct
    val files = statistics.load(filters)
    val numbers = planned.map(files.find)
    val out = ReaderFiles.leftOut(filters, files, numbers)
    prunedByFilters = out.byFilters.size.toLong
    prunedByKeys = out.byKeys.size.toLong
    val numbersOut = out.byFilters ++ out.byKeys
    val locations = planned.zip(numbers).collect { case (location, Some(n)) if numbersOut(n) => location }.toSet
    Option.when(locations.nonEmpty)(groups.map(without(_, locations)).filterNot(_.tasks.isEmpty))
  }

  private def without(group: ScanTaskGroup[_], locations: Set[String]): ScanTaskGroup[_] = {
    val tasks: Seq[Any] = group.tasks.asScala.toSeq
    val in = tasks.filter {
      case task: FileScanTask => !locations(task.file.location)
      case _ => true
    }
    if (in.size == tasks.size) group
    else new BaseScanTaskGroup(group.groupingKey, in.map(_.asInstanceOf[FileScanTask]).asJava)
  }
}
