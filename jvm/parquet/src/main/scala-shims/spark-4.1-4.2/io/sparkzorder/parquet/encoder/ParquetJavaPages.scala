// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import java.util.Collections

import io.sparkzorder.parquet.encoder.values.Encodings

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics
import org.apache.parquet.hadoop.ParquetOutputFormat.BLOCK_ROW_COUNT_LIMIT
import org.apache.parquet.schema.PrimitiveType

/** What parquet-java 1.16 and 1.17 of Spark 4.1 and 4.2 do with pages and row groups. */
private[encoder] object ParquetJavaPages {

  /** Sets the number of rows at which a row group ends. */
  def withRowGroupRows(builder: ParquetProperties.Builder, conf: Configuration): ParquetProperties.Builder =
    builder.withRowGroupRowCountLimit(
      conf.getInt(BLOCK_ROW_COUNT_LIMIT, ParquetProperties.DEFAULT_ROW_GROUP_ROW_COUNT_LIMIT))

  def rowGroupRows(properties: ParquetProperties): Long = properties.getRowGroupRowCountLimit.toLong

  /** Sizes of a page of a column that is not nested, of which it is known how often each level is there. */
  def sizes(column: ColumnDescriptor, unencodedBytes: Long, rows: Long, nulls: Long): SizeStatistics =
    new SizeStatistics(column.getPrimitiveType, unencodedBytes, Collections.emptyList(), Collections.emptyList())

  /** Writes a page of a column that is not nested, so that it has as many values as rows. */
  def write(
      writer: PageWriter,
      column: PrimitiveType,
      bytes: BytesInput,
      rows: Int,
      statistics: Statistics[_],
      hasStatistics: Boolean,
      sizes: SizeStatistics,
      definitions: Encoding,
      values: Encoding): Unit = {
    val geospatial =
      if (hasStatistics) GeospatialStatistics.newBuilder(column).build()
      else GeospatialStatistics.noopBuilder().build()
    writer.writePage(bytes, rows, rows, statistics, sizes, geospatial, Encodings.NoLevels, definitions, values)
  }
}
