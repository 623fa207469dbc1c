// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.{ClusterableTable, TableFormat, TableStatement, UnresolvedPathTable}
import io.sparkzorder.skipping.predicate.ListedStatistics
import io.sparkzorder.skipping.scan.ScanFileIndex

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedTable, UnresolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.delta.{DeltaParquetFileFormatBase, Snapshot, UnresolvedPathBasedDeltaTable}
import org.apache.spark.sql.delta.catalog.DeltaTableV2
import org.apache.spark.sql.delta.commands.{ConvertToDeltaCommand, OptimizeTableCommand}
import org.apache.spark.sql.delta.files.{TahoeFileIndex, TahoeLogFileIndex}
import org.apache.spark.sql.delta.skipping.clustering.temp.AlterTableClusterBy
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.FileIndex
import org.apache.spark.sql.zorder.SparkInternals

/** The way from Spark's catalog, or from a folder, to a Delta table. */
object DeltaFormat extends TableFormat {

  override def name: String = DeltaMissing.name

  override def tableOf(session: SparkSession, table: ResolvedTable, statement: String): Option[ClusterableTable] =
    DeltaTableV2.maybeExtractFrom(table).map(delta => new DeltaTable(delta, table.identifier, Some(table.catalog.name)))

  override def atPath(session: SparkSession, named: UnresolvedPathTable, name: String): Option[LogicalPlan] = {
    val path = new Path(named.path)
    val table = DeltaTableV2(session, path)
    // A folder inside a table is not the table: Delta finds the one above it, of which only a partition was named.
    if (table.deltaLog.update().version < 0 || table.hasPartitionFilters) None
    else {
      val catalog = SparkInternals.sessionCatalog(session)
      Some(ResolvedTable.create(catalog, Identifier.of(Array("delta"), path.toString), table))
    }
  }

  override def scan(scan: FileSourceScanExec): Option[TableFormat.Scan] = DeltaScan.of(scan, name)

  override def statistics(session: SparkSession, location: FileIndex): Option[ListedStatistics] =
    DeltaListedStatistics.of(session, location)

  /** Delta's parser makes the command, or `DeltaTable.optimize()`. */
  override def optimizeCall(plan: LogicalPlan): Option[TableFormat.OptimizeCall] = plan match {
    case call @ OptimizeTableCommand(table, predicates, context) if context.reorg.isEmpty && !context.isFull =>
      named(table).map(TableFormat.OptimizeCall(_, predicates, call.zOrderBy))
    case _ => None
  }

  override def takenOver(plan: LogicalPlan): Option[TableIdentifier] = plan match {
    case conversion: ConvertToDeltaCommand => Some(conversion.tableIdentifier)
    case _ => None
  }

  private def named(table: LogicalPlan): Option[LogicalPlan] = table match {
    case _: ResolvedTable | _: UnresolvedTable => Some(table)
    case UnresolvedPathBasedDeltaTable(path, _, statement) =>
      Some(UnresolvedPathTable(None, path, TableStatement(statement)))
    case _ => None
  }

  override def writesInOrder: Boolean = true

  override def undoesOrder(properties: Map[String, String]): Option[String] = OptimizedWrites.in(properties)

  override def resolutionRules: Seq[SparkSession => Rule[LogicalPlan]] =
    Seq(_ => RefuseClusteringOfSorted, _ => CheckCopiedOrder)

  override def postHocResolutionRules: Seq[SparkSession => Rule[LogicalPlan]] = Seq(_ => ShowDeltaOrder)

  override def normalizationRules: Seq[SparkSession => Rule[LogicalPlan]] = Seq(new OrderDeltaWrites(_))
}

/** Refuses `ALTER TABLE ... CLUSTER BY`, for which Delta has a plan of its own, on a table with an order. */
private object RefuseClusteringOfSorted extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case AlterTableClusterBy(found @ ResolvedTable(_, _, delta: DeltaTableV2, _), Some(spec))
        if spec.columnNames.nonEmpty && TableOrder.isIn(delta.initialSnapshot.metadata.configuration) =>
      throw ZOrderErrors.sortByAndClustering(new DeltaTable(delta, found.identifier).name)
  }
}

/** What only Delta knows of a scan of one of its tables. */
private[delta] object DeltaScan {

  /** @param format the name of Delta's format */
  def of(scan: FileSourceScanExec, format: String): Option[TableFormat.Scan] = scan.relation.fileFormat match {
    case _: DeltaParquetFileFormatBase =>
      Some(new TableFormat.Scan(format, pushesFilters(scan), allFiles(scan.relation.location)))
    case _ => None
  }

  /**
   * Whether Delta hands the scan's filters on to the readers of the files. With deletion vectors and
   * `deletionVectors.useMetadataRowIndex = false` it neither does nor lets files be split, of which only the
   * latter shows.
   */
  private def pushesFilters(scan: FileSourceScanExec): Boolean = {
    val relation = scan.relation
    relation.location.rootPaths.headOption.forall { root =>
      relation.fileFormat.isSplitable(relation.sparkSession, relation.options, root)
    }
  }

  /** All files of the version that the scan reads; None where it does not read a version but a set of changes. */
  private def allFiles(index: FileIndex): Option[Seq[FileStatus]] = index match {
    case pruned: ScanFileIndex => allFiles(pruned.delegate)
    case prepared: PreparedDeltaFileIndex =>
      // What was prepared for the query is the snapshot, or reads it from the open transaction.
      Some(files(prepared, prepared.preparedScan.scannedSnapshot))
    case log: TahoeLogFileIndex => Some(files(log, log.getSnapshot))
    case _ => None
  }

  private def files(index: TahoeFileIndex, snapshot: Snapshot): Seq[FileStatus] =
    snapshot.allFiles.collect().toSeq.map(index.fileStatusWithMetadataFromAddFile(_).fileStatus)
}
