// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}
import io.sparkzorder.format.iceberg.listing.{FieldPath, FileBounds}
import io.sparkzorder.skipping.predicate.FilesWithStatistics

import org.apache.iceberg.{DataFile => TableFile, Schema, Table}
import org.apache.iceberg.expressions.{Expression => TableExpression}
import org.apache.iceberg.spark.SparkSchemaUtil
import org.apache.iceberg.types.Types.NestedField
import org.apache.spark.sql.types.DataType

/**
 * The files that a scan may read, with the bounds of columns, which Iceberg does not keep with the files that it has
 * planned: its manifests are read once more, when a query runs.
 *
 * @param schema
 *   the columns as the scan reads them, with their ids
 */
private[scan] final class FilesOfScan private (schema: Schema, files: IndexedSeq[TableFile])
    extends FilesWithStatistics {

  override def size: Int = files.size

  override def rows(file: Int): Long = files(file).recordCount

  override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] =
    FieldPath.to(schema, ColumnPath(path)).map(_.last).filter(f => SparkSchemaUtil.convert(f.`type`) == dataType).map {
      field => ColumnStatistics.ofFiles(files.map(FileBounds.of(_, field)))
    }

  /** The locations of the files that a test leaves out, by their numbers. */
  def outside(mayMatch: Int => Boolean): Set[String] =
    files.indices.iterator.filterNot(mayMatch).map(files(_).location).toSet
}

private[scan] object FilesOfScan {

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
      new FilesOfScan(schema, tasks.asScala.map(_.file).toIndexedSeq)
    }
  }
}
