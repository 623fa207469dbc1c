// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.footer

import io.sparkzorder.column.ColumnStatistics

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
}
