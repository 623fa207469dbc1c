// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.lang.reflect.InvocationTargetException

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.format.TableFormat

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
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

/**
 * How much of a table a scan of Iceberg's reads: the files are those that Iceberg has planned for it by partitions and
 * bounds, which it does by manifests alone.
 *
 * @param version
 *   the id of the snapshot that it reads
 */
private[iceberg] final class IcebergScan private (
    table: Table,
    version: Long,
    tasks: Seq[FileScanTask],
    projection: Schema,
    mayReadLess: Boolean) {
  import IcebergScan._

  private lazy val all: IndexedSeq[TableFile] = {
    val scan = table.newScan().useSnapshot(version).includeColumnStats()
    Using.resource(scan.planFiles())(_.asScala.map(_.file).toIndexedSeq)
  }

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

  def volume: TableFormat.ReadVolume = {
    val read = tasks.map(_.file.location).toSet
    val (filesRead, left) = all.partition(file => read(file.location))
    TableFormat.ReadVolume(
      all.size.toLong,
      filesRead.size.toLong,
      (filesRead ++ left).map(bytes).sum,
      filesRead.map(bytes).sum,
      all.map(_.recordCount).sum,
      if (mayReadLess) s"$Note; a run may read fewer partitions, by values of a join" else Note
    )
  }
}

private[iceberg] object IcebergScan {

  private val Note = "by Iceberg's metadata; it does not tell which row groups and pages its reader skips"

  /** None where it reads no table, but changes or metadata of one. */
  def of(scan: BatchScanExec): Option[IcebergScan] = scan.table match {
    case table: SparkTable if !table.table.isInstanceOf[BaseMetadataTable] && table.snapshotId != null =>
      for {
        groups <- asked[java.util.List[ScanTaskGroup[_]]](scan.scan, "taskGroups")
        projection <- asked[Schema](scan.scan, "projection")
        tasks = groups.asScala.flatMap(_.tasks.asScala).toSeq
        ofFiles = tasks.collect { case task: FileScanTask => task } if ofFiles.size == tasks.size
      } yield new IcebergScan(table.table, table.snapshotId, ofFiles, projection, scan.runtimeFilters.nonEmpty)
    case _ => None
  }

  /** What scans tell only within Iceberg; None where a release has no such thing. */
  private def asked[T](scan: Scan, name: String): Option[T] = {
    val classes = Iterator.iterate[Class[_]](scan.getClass)(_.getSuperclass).takeWhile(_ != null)
    val methods = classes.flatMap(_.getDeclaredMethods.find(m => m.getName == name && m.getParameterCount == 0))
    methods.nextOption().map { method =>
      method.setAccessible(true)
      try method.invoke(scan).asInstanceOf[T]
      catch { case e: InvocationTargetException => throw e.getCause }
    }
  }
}
