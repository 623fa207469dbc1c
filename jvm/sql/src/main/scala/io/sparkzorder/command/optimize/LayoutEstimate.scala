// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.measure.{ColumnRange, FileRanges}
import io.sparkzorder.sampling.PlannedLayout

/** Estimates the layout that a plan would give, from the rows of its sample. */
private[command] object LayoutEstimate {

  def of(planned: PlannedLayout): LayoutAfter = {
    val sample = planned.sample
    val fileOf = planned.fileOfRow
    val rowsOf = sample.sections.indices.groupBy(fileOf(_))
    val ranges = sample.keys.indices.map { axis =>
      val order = planned.ranks.order(axis).ordering
      val perFile = (0 until planned.plan.files).map { file =>
        val values = rowsOf.getOrElse(file, Nil).map(sample.keys(axis)(_)).filter(_ != null)
        if (values.isEmpty) ColumnRange.NoValue else ColumnRange.Within(values.min(order), values.max(order))
      }
      new FileRanges(perFile, order)
    }
    LayoutAfter(planned.plan.sections.flatMap(p => IndexedSeq.fill(p.files)(p.bytes / p.files)), ranges)
  }
}

/**
 * The layout that a rewrite gives, measured or estimated.
 *
 * @param fileBytes
 *   size of each file
 * @param ranges
 *   ranges of all files, per z-order column
 */
private[command] final case class LayoutAfter(fileBytes: IndexedSeq[Long], ranges: Seq[FileRanges])

private[command] object LayoutAfter {

  /** The layout by the statistics of the files written. */
  def measured(written: IndexedSeq[DataFile], columns: Seq[ZOrderColumn]): LayoutAfter =
    LayoutAfter(written.map(_.bytes), columns.map(DataFile.ranges(written, _)))
}
