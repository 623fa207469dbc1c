// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.iceberg.listing.{FieldPath, FileBounds, PartitionFunction}
import io.sparkzorder.skipping.predicate.FilesWithStatistics

import org.apache.iceberg.{DataFile => TableFile, FileContent, FileScanTask, MetadataColumns, PartitionSpec, Schema}
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.types.DataType

/**
 * The files that a scan may read, with the bounds of columns.
 *
 * @param schema
 *   the columns as the scan reads them, with their ids
 */
private[scan] final class FilesOfScan(
    schema: Schema,
    specs: JavaMap[Integer, PartitionSpec],
    files: IndexedSeq[FilesOfScan.Planned])
    extends FilesWithStatistics {

  // A file that is in the table twice may have other deletes each time.
  private lazy val numbers: Map[String, Int] =
    files.indices.groupBy(files(_).file.location).collect { case (location, Seq(number)) => location -> number }

  /** The number of the file at a location; None where nothing is known of it. */
  def find(location: String): Option[Int] = numbers.get(location)

  override def size: Int = files.size

  override def rows(file: Int): Long = files(file).file.recordCount

  override def rowsAtLeast(file: Int): Long = files(file).rowsAtLeast

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    FieldPath.to(schema, ColumnPath(path)).filter(isKept(_, dataType)).map { way =>
      ColumnStatistics.ofFiles(files.map(f => statistics(f.file, way)))
    }

  /** Not of what readers make up, such as row ids where a file has none. */
  private def isKept(way: Seq[NestedField], dataType: DataType): Boolean =
    SparkSchemaUtil.convert(way.last.`type`) == dataType && !MetadataColumns.isMetadataColumn(way.head.fieldId)

  /** Of a column that is a partition's readers take the partition's value, whatever an added file holds. */
  private def statistics(file: TableFile, way: Seq[NestedField]): ColumnStatistics = {
    val field = way.last
    val position = specs.get(file.specId).fields.asScala.indexWhere { f =>
      f.sourceId == field.fieldId && f.transform.isIdentity
    }
    val found =
      if (position < 0) FileBounds.of(file, field)
      else FilesOfScan.ofPartition(file.partition.get(position, classOf[Object]), file.recordCount, field)
    withNulls(way, found)
  }

  /** Writers need not count a field as NULL where the struct around it is. */
  private def withNulls(way: Seq[NestedField], found: ColumnStatistics): ColumnStatistics =
    if (way.init.exists(_.isOptional)) found.copy(nullCount = None) else found
}

private[scan] object FilesOfScan {

  /**
   * A file that is planned.
   *
   * @param rowsAtLeast
   *   number of its rows that are surely not deleted. A position delete deletes one row at most; an equality, any number.
   */
  final case class Planned(file: TableFile, rowsAtLeast: Long)

  def planned(task: FileScanTask): Planned = {
    val deletes = task.deletes.asScala
    val isKnown = deletes.forall(_.content == FileContent.POSITION_DELETES)
    Planned(task.file, if (isKnown) math.max(0L, task.file.recordCount - deletes.map(_.recordCount).sum) else 0L)
  }

  /** @param value of the partition, in Iceberg's form */
  private def ofPartition(value: Any, rows: Long, field: NestedField): ColumnStatistics =
    if (value == null) ColumnStatistics(null, null, Some(rows))
    else {
      val inSpark = PartitionFunction.inSpark(field.`type`, value)
      ColumnStatistics(inSpark, inSpark, Some(0L))
    }
}
