// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import io.sparkzorder.layout.PageSplits
import io.sparkzorder.types.LongKeyType

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The keys of all rows of a task, column by column, as far as they are longs and not too many to be held.
 *
 * @param pageRows
 *   number of rows of a page, as Parquet's writer cuts them
 */
private[write] final class KeyColumns(by: RankedColumns, pageRows: Int) {
  import KeyColumns._

  private val keysOf = by.keyProjection
  private val axes = by.axes.size
  private val most = MostKeys / axes
  private var areLongs = by.keyTypes.forall(_.isInstanceOf[LongKeyType])
  private val columns = Array.fill(axes)(new Array[Long](if (areLongs) FirstRows else 0))
  private var rows = 0

  def add(row: UnsafeRow): Unit = if (areLongs) {
    if (rows == columns(0).length) grow()
    if (areLongs) {
      val keys = keysOf(row)
      var axis = 0
      while (axis < axes) {
        // NULL is below every value.
        columns(axis)(rows) = if (keys.isNullAt(axis)) Long.MinValue else keys.getLong(axis)
        axis += 1
      }
      rows += 1
    }
  }

  /** Per row the number of its page; None where the keys are not known. */
  def pages: Option[Array[Int]] =
    if (areLongs) Some(PageSplits.of(columns.toIndexedSeq, rows, pageRows)) else None

  private def grow(): Unit =
    if (rows >= most) {
      areLongs = false
      columns.indices.foreach(columns(_) = Array.emptyLongArray)
    } else
      columns.indices.foreach(i => columns(i) = java.util.Arrays.copyOf(columns(i), math.min(most, 2 * rows)))
}

private object KeyColumns {

  private val FirstRows = 1024

  // 64 MB of a task's heap.
  private val MostKeys = 8 << 20
}
