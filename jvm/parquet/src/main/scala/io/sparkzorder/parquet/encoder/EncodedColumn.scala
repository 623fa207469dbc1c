// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import io.sparkzorder.parquet.encoder.values.{Batch, DefinitionLevels, Encodings, ValuesEncoder}

import org.apache.parquet.column.{ColumnDescriptor, Encoding, ParquetProperties}
import org.apache.parquet.column.page.{PageWriteStore, PageWriter}
import org.apache.parquet.column.statistics.Statistics

/** A column of a file whose values are encoded page by page. */
private[encoder] trait PagedColumn {

  /** Begins a column chunk. */
  def begin(pages: PageWriteStore): Unit

  /** Rows of the page. */
  def pageRows: Long

  /** Bytes of the page, as parquet-java counts them to end pages. */
  def pageBytes: Long

  /** Bytes of the column chunk's pages that are complete. */
  def writtenBytes: Long

  /** Bytes of memory held besides pages. */
  def heldBytes: Long

  def writePage(): Unit

  /** Ends the column chunk, after its last page. */
  def endChunk(): Unit
}

/**
 * A column that is not nested.
 *
 * @param field
 *   its ordinal in the rows
 */
private[encoder] final class EncodedColumn(
    descriptor: ColumnDescriptor,
    field: Int,
    values: ValuesEncoder,
    properties: ParquetProperties)
    extends PagedColumn {

  private val primitive = descriptor.getPrimitiveType
  private val isOptional = descriptor.getMaxDefinitionLevel == 1
  private val hasStatistics = properties.getStatisticsEnabled(descriptor)
  private val presence = new DefinitionLevels
  private val present = new Array[Int](Batch.MaxRows)
  private var writer: PageWriter = _

  override def begin(pages: PageWriteStore): Unit = writer = pages.getPageWriter(descriptor)

  def add(batch: Batch): Unit = {
    val at = batch.offsetOf(field)
    if (!batch.hasNulls(field)) {
      presence.addPresent(batch.rows)
      values.add(batch.bytes(field), batch.offsets(field), at, batch.rows)
    } else if (isOptional) values.add(batch.bytes(field), present, at, presence.add(batch, field, present))
    else throw NullInRequired(descriptor.getPath.head)
  }

  override def pageRows: Long = presence.rows.toLong
  override def pageBytes: Long = (if (isOptional) presence.bufferedBytes else 0) + values.plainBytes
  override def writtenBytes: Long = writer.getMemSize
  override def heldBytes: Long = values.heldBytes

  override def writePage(): Unit = {
    val encoding = values.finishPage()
    val statistics: Statistics[_] =
      if (hasStatistics) Statistics.createStats(primitive) else Statistics.noopStats(primitive)
    if (!values.isEmpty) values.addTo(statistics)
    statistics.incrementNumNulls(presence.nulls)
    val sizes = ParquetJavaPages.sizes(descriptor, values.unencodedBytes, presence.rows, presence.nulls)
    ParquetJavaPages.write(
      writer,
      primitive,
      bytes(),
      presence.rows,
      statistics,
      hasStatistics,
      // The form without sizes would switch page indexes off.
      sizes,
      if (isOptional) Encoding.RLE else Encodings.NoLevels,
      encoding
    )
    values.clearPage()
    presence.clear()
  }

  private def bytes() =
    if (!isOptional) values.page.withoutLevels
    else {
      val size = presence.encoded()
      values.page.withLevels(presence.levels, size)
    }

  override def endChunk(): Unit = values.endChunk().foreach(writer.writeDictionaryPage)
}

private[encoder] object NullInRequired {

  /** Parquet could not record that the value is NULL, and so a reader would read something else. */
  def apply(column: String): IllegalStateException =
    new IllegalStateException(s"A row has NULL in column $column, which has none by its type")
}
