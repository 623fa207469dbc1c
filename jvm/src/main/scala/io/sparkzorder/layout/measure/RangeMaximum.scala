package io.sparkzorder.layout.measure

/**
 * Maxima of slices of an array in constant time each, after n log n preparation.
 *
 * A sparse table: M. A. Bender, M. Farach-Colton, "The LCA problem revisited", LATIN 2000.
 */
private[layout] final class RangeMaximum(values: Array[Int]) {

  // levels(k)(i) is the maximum of the 2**k values from i.
  private val levels: Array[Array[Int]] = Iterator
    .iterate((values, 1)) { case (row, width) =>
      (Array.tabulate(math.max(0, row.length - width))(i => math.max(row(i), row(i + width))), width * 2)
    }
    .map(_._1)
    .takeWhile(_.nonEmpty)
    .toArray

  /** The maximum of `values(from until to)`; there must be one. */
  def max(from: Int, to: Int): Int = {
    val level = 31 - Integer.numberOfLeadingZeros(to - from)
    math.max(levels(level)(from), levels(level)(to - (1 << level)))
  }
}
