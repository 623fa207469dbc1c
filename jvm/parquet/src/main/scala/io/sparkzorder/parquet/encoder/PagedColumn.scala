// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.parquet.column.page.PageWriteStore

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

  /** Ends the column chunk, behind its last page. */
  def endChunk(): Unit
}
