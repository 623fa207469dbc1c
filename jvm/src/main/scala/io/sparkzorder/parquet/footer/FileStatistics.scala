package io.sparkzorder.parquet.footer

import io.sparkzorder.column.ColumnStatistics

/**
 * What the footer of a Parquet file says of the file.
 *
 * @param rowGroups
 *   number of row groups
 * @param columns
 *   those that were asked for
 * @param schema
 *   its columns
 * @param isEncrypted
 *   whether any of it is
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
}
