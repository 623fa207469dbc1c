// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import java.util.Arrays

import io.sparkzorder.column.{ColumnPath, ColumnStatistics}

import org.apache.spark.sql.catalyst.analysis.Resolver
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * The statistics in the footer of a Parquet file.
 *
 * @param rowGroups
 *   number of row groups
 * @param columns
 *   statistics of the columns that were asked for
 * @param schema
 *   the columns of the file
 * @param isEncrypted
 *   whether any part of the file is encrypted
 * @param isExact
 *   whether the columns that were asked for are the same to all readers, as no name differs by its case
 */
private[sparkzorder] final case class FileStatistics(
    rows: Long,
    rowGroups: Int,
    columns: Map[StatisticsColumn, ColumnStatistics],
    schema: FileSchema,
    isEncrypted: Boolean,
    isExact: Boolean) {

  def of(column: StatisticsColumn): ColumnStatistics = columns.getOrElse(column, ColumnStatistics.unknown)

  /** Whether both have as many rows, and the same statistics of each column. */
  def tellsAs(other: FileStatistics): Boolean = {
    def values(of: ColumnStatistics) = of.productIterator.map(_.asInstanceOf[AnyRef]).toArray
    // Bounds may be arrays of bytes.
    def same(column: StatisticsColumn) = Arrays.deepEquals(values(of(column)), values(other.of(column)))
    rows == other.rows && columns.keySet == other.columns.keySet && columns.keys.forall(same)
  }
}

/**
 * A column whose statistics are looked for in footers.
 *
 * @param path
 *   its name in files, after those of the structs on the way
 * @param dataType
 *   its type in the table
 */
private[sparkzorder] final case class StatisticsColumn(path: Seq[String], dataType: DataType) {

  /** Whether it stands at `other`, by the names that are the same to a reader. */
  def isAt(other: Seq[String], same: Resolver): Boolean = path.corresponds(other)(same)
}

private[sparkzorder] object StatisticsColumn {

  /** The columns of a table of which bounds can be known. */
  def of(dataSchema: StructType): IndexedSeq[StatisticsColumn] =
    ColumnPath
      .leaves(dataSchema)
      .map(p => StatisticsColumn(p.parts, p.dataType(dataSchema)))
      .filter(c => StoredBound.isSupported(c.dataType))
      .toIndexedSeq
}
