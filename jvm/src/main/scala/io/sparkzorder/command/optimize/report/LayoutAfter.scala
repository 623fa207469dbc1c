package io.sparkzorder.command.optimize.report

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.measure.FileRanges

/**
 * What a rewrite leaves behind, measured or estimated.
 *
 * @param fileBytes
 *   one per file
 * @param ranges
 *   per z-order column
 */
private[command] final case class LayoutAfter(fileBytes: IndexedSeq[Long], ranges: Seq[FileRanges])

private[command] object LayoutAfter {

  /** By the statistics of the files written. */
  def measured(written: IndexedSeq[DataFile], columns: Seq[ZOrderColumn]): LayoutAfter =
    LayoutAfter(written.map(_.bytes), columns.map(DataFile.ranges(written, _)))
}
