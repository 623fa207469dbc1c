// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.iceberg.listing.{FieldPath, FileBounds}
import io.sparkzorder.skipping.predicate.FilesWithStatistics

import org.apache.iceberg.{DataFile => TableFile, PartitionSpec, Schema, Table}
import org.apache.iceberg.expressions.{Expression => TableExpression}
import org.apache.iceberg.spark.{SparkSchemaUtil, SparkUtil}
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.{DataType, LongType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The files that a scan may read, with the bounds of columns, which Iceberg does not keep with the files that it has
 * planned: its manifests are read once more, when a query runs.
 *
 * @param schema
 *   the columns as the scan reads them, with their ids
 */
private[scan] final class FilesOfScan private (
    schema: Schema,
    specs: JavaMap[Integer, PartitionSpec],
    files: IndexedSeq[TableFile])
    extends FilesWithStatistics {

  override def size: Int = files.size

  override def rows(file: Int): Long = files(file).recordCount

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    FieldPath.to(schema, ColumnPath(path)).map(_.last).filter(f => SparkSchemaUtil.convert(f.`type`) == dataType).map {
      field => ColumnStatistics.ofFiles(files.map(statistics(_, field, dataType)))
    }

  /** Of a column that is a partition's readers take the partition's value, whatever an added file holds. */
  private def statistics(file: TableFile, field: NestedField, dataType: DataType): ColumnStatistics = {
    val inFile = FileBounds.of(file, field)
    val position = specs.get(file.specId).fields.asScala.indexWhere { f =>
      f.sourceId == field.fieldId && f.transform.isIdentity
    }
    if (position < 0 || FilesOfScan.holds(inFile, file.partition.get(position, classOf[Object]), field, dataType))
      inFile
    else ColumnStatistics.unknown
  }

  /** The locations of the files that a test leaves out, by their numbers. */
  def outside(mayMatch: Int => Boolean): Set[String] =
    files.indices.iterator.filterNot(mayMatch).map(files(_).location).toSet
}

private[scan] object FilesOfScan {

  /** Whether bounds are true of a partition's value, in Iceberg's form; never of NULL, of which they say too little. */
  private def holds(bounds: ColumnStatistics, value: Any, field: NestedField, dataType: DataType): Boolean =
    bounds.min != null && value != null && {
      val inSpark: Any = (value, dataType) match {
        // Of a column that was widened since.
        case (number: Integer, LongType) => number.toLong
        case (text: CharSequence, _) => UTF8String.fromString(text.toString)
        case _ => SparkUtil.internalToSpark(field.`type`, value)
      }
      val order = TypeUtils.getInterpretedOrdering(dataType)
      order.lteq(bounds.min, inSpark) && order.lteq(inSpark, bounds.max)
    }

  /**
   * @param filter
   *   by which the scan was planned
   * @param fields
   *   the columns whose bounds are wanted
   */
  def of(
      table: Table,
      snapshotId: Long,
      schema: Schema,
      filter: TableExpression,
      isCaseSensitive: Boolean,
      fields: Seq[NestedField]): FilesOfScan = {
    val scan = table.newScan().useSnapshot(snapshotId).caseSensitive(isCaseSensitive).filter(filter)
    // By the names that the columns had then; of one that was not there all are kept.
    val names = fields.map(f => Option(scan.schema.findColumnName(f.fieldId)))
    val withBounds =
      if (names.forall(_.isDefined)) scan.includeColumnStats(names.flatten.asJava) else scan.includeColumnStats()
    Using.resource(withBounds.planFiles()) { tasks =>
      new FilesOfScan(schema, table.specs, tasks.asScala.map(_.file).toIndexedSeq)
    }
  }
}
