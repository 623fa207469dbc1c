// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{List => JavaList}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.format.TableFormat
import io.sparkzorder.skipping.predicate.PrunesFiles
import io.sparkzorder.skipping.scan.FutureJoinKeys

import org.apache.iceberg.{
  BaseMetadataTable,
  DataFile => TableFile,
  FileScanTask,
  MetricsConfig,
  MetricsModes,
  ScanTaskGroup,
  Schema,
  Table
}
import org.apache.iceberg.spark.source.SparkTable
import org.apache.iceberg.types.TypeUtil
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.read.{Scan, SupportsReportStatistics, SupportsRuntimeV2Filtering}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * How much of a table a scan of Iceberg's reads: the files are those that Iceberg has planned for it by partitions and
 * bounds, which it does by manifests alone, without those that are left out by what is known before it runs.
 *
 * @param version
 *   the id of the snapshot that it reads
 */
private[iceberg] final class IcebergScan private (
    table: Table,
    version: Long,
    tasks: Seq[FileScanTask],
    projection: Schema,
    runtimeFilters: Seq[Expression]) {
  import IcebergScan._

  private lazy val all: IndexedSeq[SizedFile] = {
    val scan = table.newScan().useSnapshot(version).includeColumnStats()
    Using.resource(scan.planFiles())(_.asScala.map(task => sized(task.file)).toIndexedSeq)
  }

  private def sized(file: TableFile) = SizedFile(file.location, file.recordCount, bytes(file))

  // Of columns in files: of others no sizes are recorded.
  private lazy val columns: Seq[Integer] =
    TypeUtil.indexById(projection.asStruct).asScala.collect {
      case (id, field) if field.`type`.isPrimitiveType => id
    }.toSeq

  private lazy val areSizesKept: Boolean = {
    val metrics = MetricsConfig.forTable(table)
    columns.forall(id => !metrics.columnMode(projection.findColumnName(id)).isInstanceOf[MetricsModes.None])
  }

  /** Of the columns that are read, where it is known. */
  private def bytes(file: TableFile): Long =
    Option(file.columnSizes).filter(sizes => areSizesKept && !sizes.isEmpty) match {
      case Some(sizes) => columns.flatMap(id => Option(sizes.get(id))).map(_.toLong).sum
      case None => file.fileSizeInBytes
    }

  private def whenItRuns: Seq[String] = {
    val (ofFiles, ofPartitions) = PrunesFiles.among(runtimeFilters)
    Option.when(ofPartitions.nonEmpty)("a run may read fewer partitions, by values of a join").toSeq ++
      FutureJoinKeys.note(ofFiles)
  }

  def volume: TableFormat.ReadVolume = {
    val read = tasks.map(_.file.location).toSet
    val (filesRead, left) = all.partition(file => read(file.location))
    TableFormat.ReadVolume(
      all.size.toLong,
      filesRead.size.toLong,
      (filesRead ++ left).map(_.bytes).sum,
      filesRead.map(_.bytes).sum,
      all.map(_.rows).sum,
      (Note +: whenItRuns).mkString("; ")
    )
  }
}

private[iceberg] object IcebergScan {

  /** What a scan of Iceberg's is to Spark. */
  type Theirs = Scan with SupportsRuntimeV2Filtering with SupportsReportStatistics

  /** @param bytes of the columns that are read */
  private final case class SizedFile(location: String, rows: Long, bytes: Long)

  private val Note = "by Iceberg's metadata; it does not tell which row groups and pages its reader skips"

  /** None where it reads no table, but changes or metadata of one. */
  def of(scan: BatchScanExec): Option[IcebergScan] = scan.table match {
    case table: SparkTable if !table.table.isInstanceOf[BaseMetadataTable] && readsVersion(scan.scan) =>
      for {
        version <- ScanInternals.snapshotId(theirs(scan.scan))
        groups <- groups(scan.scan)
        projection <- ScanInternals.projection(theirs(scan.scan))
        tasks = groups.asScala.flatMap(_.tasks.asScala).toSeq
        ofFiles = tasks.collect { case task: FileScanTask => task } if ofFiles.size == tasks.size
      } yield new IcebergScan(table.table, version, ofFiles, projection, scan.runtimeFilters)
    case _ => None
  }

  private def readsVersion(scan: Scan): Boolean = ScanInternals.readsVersion(theirs(scan))

  private def theirs(scan: Scan): Scan = scan match {
    case pruned: PrunedScan => pruned.theirs
    case other => other
  }

  private def groups(scan: Scan): Option[JavaList[ScanTaskGroup[_]]] = {
    val left = scan match {
      case pruned: PrunedScan => pruned.left
      case _ => None
    }
    left.orElse(ScanInternals.taskGroups(theirs(scan)))
  }
}
