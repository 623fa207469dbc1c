// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

/**
 * How the cells of a section are proportioned: per axis, by how many halvings the curve begins with the others.
 *
 * A section whose ranks fill the curve's space is cut as often on each axis. Rows of one day among those of a year are
 * spread over all users but over one part in 365 of the times: cut into a grid of their own, they add files that reach
 * over many users, for times that no query distinguishes. By an aspect of (0, 8) they are cut by user 8 times before
 * they are cut by time, so that their cells are about as those of the year.
 *
 * @param shifts
 *   per axis, the number of bits that its ranks are shifted down by, 0 or more, 0 for one axis at least; none where it is 0
 *   for all
 */
final case class CellAspect(shifts: IndexedSeq[Int]) {
  require(shifts.isEmpty || shifts.min == 0)

  def shift(axis: Int): Int = if (shifts.isEmpty) 0 else shifts(axis)

  /** One more halving of an axis before the others. */
  def finer(axis: Int): CellAspect = CellAspect.of(shifts.indices.map(a => if (a == axis) shifts(a) else shifts(a) + 1))
}

object CellAspect {

  /** As many cuts on each axis. */
  val Even: CellAspect = CellAspect(IndexedSeq.empty)

  private def of(shifts: IndexedSeq[Int]): CellAspect = CellAspect(shifts.map(_ - shifts.min))

  /**
   * The aspect of a section whose cells are to be as wide on each axis, in ranks of the whole, as they are high.
   *
   * @param extents
   *   per axis, the share of the whole's ranks, 0 to 1, that the section spans
   */
  def ofExtents(extents: IndexedSeq[Double]): CellAspect = {
    val widest = extents.max
    of(extents.map(e => if (e <= 0) 0 else math.round(math.log(widest / e) / math.log(2)).toInt))
  }
}
