// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import java.util

import io.sparkzorder.parquet.encoder.values.Encodings

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{Encoding, ParquetProperties}
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.schema.PrimitiveType

/** What parquet-java 1.15 of Spark 4.0 does with pages and row groups. */
private[encoder] object ParquetJavaPages {

  /** Row groups end by their size alone: there is no setting for a number of rows. */
  def withRowGroupRows(builder: ParquetProperties.Builder, conf: Configuration): ParquetProperties.Builder = builder

  def rowGroupRows(properties: ParquetProperties): Long = Long.MaxValue

  /**
   * The sizes of a page of a column that is not nested: a page has a histogram of each kind of level, also where it says
   * nothing.
   */
  def sizes(column: PrimitiveType, unencodedBytes: Long, rows: Int, nulls: Int, isOptional: Boolean): SizeStatistics = {
    val repetitions = util.List.of[java.lang.Long](rows.toLong)
    val definitions =
      if (isOptional) util.List.of[java.lang.Long](nulls.toLong, (rows - nulls).toLong) else repetitions
    new SizeStatistics(column, unencodedBytes, repetitions, definitions)
  }

  /**
   * Writes a page of a column that is not nested, so that it has as many values as rows. No page has statistics of
   * places.
   */
  def write(
      writer: PageWriter,
      column: PrimitiveType,
      bytes: BytesInput,
      rows: Int,
      statistics: Statistics[_],
      hasStatistics: Boolean,
      sizes: SizeStatistics,
      definitions: Encoding,
      values: Encoding): Unit =
    writer.writePage(bytes, rows, rows, statistics, sizes, Encodings.NoLevels, definitions, values)
}
