// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.parquet.column.{ColumnDescriptor, ColumnWriter, ParquetProperties}
import org.apache.parquet.column.impl.ColumnWriteStoreV1
import org.apache.parquet.column.page.{PageWriteStore, PageWriter}
import org.apache.parquet.schema.{GroupType, MessageType, Type}

/**
 * A leaf that parquet-java's own writer encodes. With thresholds of 1 that writer ends a page at each `endRecord()`, which
 * is called only where [[PageCheck]] says so.
 */
private[encoder] final class ForeignColumn(
    message: MessageType,
    val descriptor: ColumnDescriptor,
    properties: ParquetProperties)
    extends PagedColumn {

  private val pageByRecord = ParquetProperties.copy(properties)
    .withPageValueCountThreshold(1)
    .withMinRowCountForPageSizeCheck(1)
    .estimateRowCountForPageSizeCheck(false)
    .build()
  private val alone =
    new MessageType(message.getName, prunedTo(message, descriptor.getPath.toList).asGroupType.getFields)
  private var store: ColumnWriteStoreV1 = _
  private var pages: PageWriter = _
  private var rows = 0L

  /** The type with nothing but the leaf at the path. */
  private def prunedTo(of: Type, path: List[String]): Type = path match {
    case name :: rest => val group: GroupType = of.asGroupType; group.withNewFields(prunedTo(group.getType(name), rest))
    case Nil => of
  }

  override def begin(to: PageWriteStore): Unit = {
    pages = to.getPageWriter(descriptor)
    store = new ColumnWriteStoreV1(alone, (_: ColumnDescriptor) => pages, pageByRecord)
  }

  def writer: ColumnWriter = store.getColumnWriter(descriptor)

  def rowsAdded(n: Int): Unit = rows += n

  override def pageRows: Long = rows
  override def pageBytes: Long = store.getBufferedSize - pages.getMemSize
  override def writtenBytes: Long = pages.getMemSize
  override def heldBytes: Long = store.getAllocatedSize - pages.allocatedSize

  override def writePage(): Unit = {
    store.endRecord()
    rows = 0
  }

  override def endChunk(): Unit = store.close()
}
