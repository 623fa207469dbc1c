// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise.simulate

/**
 * Rows drawn from a table, with the values of all columns that a layout or a filter may name.
 *
 * @param sections
 *   per row, the number of its table partition
 * @param share
 *   the share of the table's rows that are in the sample, at most 1
 */
private[advise] final class TableSample(
    val sections: Array[Int],
    val columns: IndexedSeq[SampledColumn],
    val share: Double) {
  require(columns.forall(_.values.length == sections.length))

  def rows: Int = sections.length

  /** About so many of the rows, evenly chosen: every so many-eth. All of them where there are no more. */
  def thinned(size: Int): TableSample =
    if (size >= rows) this
    else {
      val kept = Array.tabulate(size)(i => (i.toLong * rows / size).toInt)
      new TableSample(
        kept.map(sections),
        columns.map(c => new SampledColumn(c.column, kept.map(c.values))),
        share * size / rows)
    }
}
