// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.FilePredicate

import org.apache.iceberg.{BaseMetadataTable, BaseScanTaskGroup, FileScanTask, ScanTaskGroup, Table}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, InSet, Literal}
import org.apache.spark.sql.connector.expressions.{Expressions, Literal => Value, NamedReference}
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
 * A scan of Iceberg's without the files in which, by the bounds in the manifests, no row has a key of the joins above. Iceberg's own
 * scan leaves out partitions by such keys, never files.
 *
 * What is left out is that alone of which bounds say so: a file that Iceberg has planned and that is not found again
 * stays. Iceberg's scan itself is not changed by keys of files, since other nodes of a plan may read it, too.
 *
 * @param node
 *   what it stands in the place of
 * @param columns
 *   those by whose values it prunes
 */
private[iceberg] final class PrunedScan private (
    node: BatchScanExec,
    delegate: Scan with SupportsRuntimeV2Filtering with SupportsReportStatistics,
    table: Table,
    snapshotId: Long,
    columns: Seq[Attribute])
    extends Scan
    with SupportsRuntimeV2Filtering
    with SupportsReportStatistics
    with Logging {

  @volatile private var keys = Seq.empty[Expression]
  @volatile private var pruned = 0L

  def theirs: Scan = delegate

  override def readSchema: StructType = delegate.readSchema

  override def description: String = delegate.description

  override def estimateStatistics: Statistics = delegate.estimateStatistics

  // As for all of the files, whose tasks Spark would plan once more to find out.
  override def columnarSupportMode: Scan.ColumnarSupportMode =
    if (node.supportsColumnar) Scan.ColumnarSupportMode.SUPPORTED else Scan.ColumnarSupportMode.UNSUPPORTED

  override def supportedCustomMetrics: Array[CustomMetric] = delegate.supportedCustomMetrics :+ new FilesPrunedByKeys

  override def reportDriverMetrics: Array[CustomTaskMetric] =
    delegate.reportDriverMetrics :+ FilesPrunedByKeys.of(pruned)

  override def filterAttributes: Array[NamedReference] =
    delegate.filterAttributes ++ columns.map(c => Expressions.column(c.name))

  override def filter(predicates: Array[Predicate]): Unit = {
    // Of a large side these are many values: a set is made of them once.
    val found = predicates.map(predicate => predicate -> keyOf(predicate))
    keys = found.flatMap(_._2).toSeq
    val others = found.collect { case (predicate, None) => predicate }
    if (others.nonEmpty) delegate.filter(others)
  }

  private def keyOf(predicate: Predicate): Option[Expression] = predicate.children.toSeq match {
    case (reference: NamedReference) +: values =>
      columns.find(c => reference.fieldNames.toSeq == Seq(c.name)).map { column =>
        val found: Set[Any] = values.collect { case value: Value[_] => value.value }.filter(_ != null).toSet
        // A set without values is no filter to Spark.
        if (found.isEmpty) Literal.FalseLiteral else InSet(column, found)
      }
    case _ => None
  }

  override def toBatch: Batch = if (keys.isEmpty) delegate.toBatch else withoutFiles(delegate.toBatch)

  private def withoutFiles(batch: Batch): Batch =
    try
      (for {
        groups <- ScanInternals.taskGroups(delegate)
        left = outside.fold(groups)(leftOf(groups, _))
        changed <- ScanInternals.withTaskGroups(batch, left)
      } yield changed).getOrElse(batch)
    catch {
      case NonFatal(e) =>
        logWarning(s"Files of ${table.name} cannot be left out by the keys of joins: queries read them all.", e)
        batch
    }

  /** The locations of files without such rows; None where bounds leave out none. */
  private def outside: Option[Set[String]] =
    for {
      schema <- ScanInternals.projection(delegate)
      filter <- ScanInternals.filter(delegate)
      isCaseSensitive <- ScanInternals.isCaseSensitive(delegate)
      files = FilesOfScan
        .of(table, snapshotId, schema, filter, isCaseSensitive, columns.flatMap(c => Option(schema.findField(c.name))))
      predicate <- FilePredicate(keys, files)
    } yield files.outside(predicate.mayMatch)

  private def leftOf(groups: JavaList[ScanTaskGroup[_]], outside: Set[String]): JavaList[ScanTaskGroup[_]] = {
    val left = groups.asScala.map { group =>
      val (out, in) = group.tasks.asScala.toSeq.partition {
        case task: FileScanTask => outside(task.file.location)
        case _ => false
      }
      if (out.isEmpty) group else withTasks(group, in)
    }
    pruned = locations(groups.asScala).size.toLong - locations(left).size
    left.filterNot(_.tasks.isEmpty).asJava
  }

  private def withTasks(group: ScanTaskGroup[_], tasks: Seq[Any]): ScanTaskGroup[_] =
    new BaseScanTaskGroup(group.groupingKey, tasks.map(_.asInstanceOf[FileScanTask]).asJava)

  private def locations(groups: Iterable[ScanTaskGroup[_]]): Set[String] =
    groups.flatMap(_.tasks.asScala).collect { case task: FileScanTask => task.file.location }.toSet
}

private[iceberg] object PrunedScan {

  /**
   * None for scans of files that are to be rewritten as a whole, and for those of which Spark needs the files in their
   * partitions.
   */
  def of(node: BatchScanExec, columns: Seq[Attribute]): Option[Scan] = node.scan match {
    case scan: Scan with SupportsRuntimeV2Filtering with SupportsReportStatistics
        if ScanInternals.readsVersion(scan) && node.keyGroupedPartitioning.isEmpty =>
      for {
        table <- ScanInternals.table(scan) if !table.isInstanceOf[BaseMetadataTable]
        snapshotId <- ScanInternals.snapshotId(scan)
        schema <- ScanInternals.projection(scan)
        if columns.forall(c => schema.asStruct.field(c.name) != null)
      } yield new PrunedScan(node, scan, table, snapshotId, columns)
    case _ => None
  }
}
