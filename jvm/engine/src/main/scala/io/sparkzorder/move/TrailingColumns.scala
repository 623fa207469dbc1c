// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection, UnsafeRow}

/**
 * Rows of fewer columns over the same bytes. Spark's rows keep a fixed-width slot for each column in order, after a
 * bitmap of NULLs that is one word for up to 64 columns; with as many words, the first columns lie where they lay.
 */
private[sparkzorder] object TrailingColumns {

  /**
   * @param rows
   *   rows with the columns of `output`
   * @return
   *   rows with the first `count` of them; copied only where their bitmap has fewer words
   */
  def drop(rows: Iterator[InternalRow], count: Int, output: Seq[Attribute]): Iterator[InternalRow] =
    if (count == output.size) rows
    else if (UnsafeRow.calculateBitSetWidthInBytes(count) == UnsafeRow.calculateBitSetWidthInBytes(output.size)) {
      val view = new UnsafeRow(count)
      rows.map { row =>
        val whole = row.asInstanceOf[UnsafeRow]
        view.pointTo(whole.getBaseObject, whole.getBaseOffset, whole.getSizeInBytes)
        view
      }
    } else rows.map(UnsafeProjection.create(output.take(count), output))
}
