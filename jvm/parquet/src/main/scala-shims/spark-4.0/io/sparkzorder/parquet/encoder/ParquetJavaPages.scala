// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import scala.jdk.CollectionConverters._

import io.sparkzorder.parquet.encoder.values.Encodings

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.bytes.BytesInput
import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.page.PageWriter
import org.apache.parquet.column.statistics.{SizeStatistics, Statistics}
import org.apache.parquet.schema.PrimitiveType

/** What parquet-java 1.15 of Spark 4.0 does with pages and row groups. */
private[encoder] object ParquetJavaPages {

  /** Row groups end by their size alone: there is no setting for a number of rows. */
  def withRowGroupRows(builder: ParquetProperties.Builder, conf: Configuration): ParquetProperties.Builder = builder

  def rowGroupRows(properties: ParquetProperties): Long = Long.MaxValue

  /** Sizes of a page of a column that is not nested. Parquet-java 1.15 adds up how often each level is there in any case. */
  def sizes(column: ColumnDescriptor, unencodedBytes: Long, rows: Long, nulls: Long): SizeStatistics = {
    val definitions = if (column.getMaxDefinitionLevel == 0) Seq(rows) else Seq(nulls, rows - nulls)
    new SizeStatistics(
      column.getPrimitiveType,
      unencodedBytes,
      Seq(Long.box(rows)).asJava,
      definitions.map(Long.box).asJava)
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
