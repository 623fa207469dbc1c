// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.measure.ColumnRange

/**
 * The bounds of a file in the z-order columns, as keys; null stands for NULL, below every value.
 *
 * @param low
 *   per column, the least key
 * @param high
 *   per column, the greatest key
 */
private[command] final case class FileBounds(low: IndexedSeq[Any], high: IndexedSeq[Any])

private[command] object FileBounds {

  /** The bounds of a file; None where those of a column are not known. */
  def of(file: DataFile, columns: Seq[ZOrderColumn]): Option[FileBounds] = {
    val bounds = columns.map { column =>
      file.range(column) match {
        case ColumnRange.Within(low, high) =>
          Some((if (file.statistics(column.path).nullCount.contains(0L)) low else null, high))
        case ColumnRange.NoValue => Some((null, null))
        case ColumnRange.Unknown => None
      }
    }
    if (bounds.forall(_.isDefined))
      Some(FileBounds(bounds.map(_.get._1).toIndexedSeq, bounds.map(_.get._2).toIndexedSeq))
    else None
  }
}
