// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

/**
 * A file as a box in the space of the z-order columns, each on a scale of 0 to 1 (`types.KeyScale`).
 *
 * @param low
 *   per column, a bound at or below every value
 * @param high
 *   per column, a bound at or above every value
 * @param rows
 *   approximate number of its rows
 * @param bytes
 *   size of the file
 */
final case class FileBox(low: IndexedSeq[Double], high: IndexedSeq[Double], rows: Long, bytes: Long) {
  require(low.length == high.length)

  /** The share of this box, 0 to 1, that lies in `other` too, if its rows are spread evenly. */
  def shareWithin(other: FileBox): Double = {
    var share = 1.0
    var axis = 0
    // A loop: a table of n files asks for n * n of these.
    while (axis < low.length && share > 0) {
      val shared = math.min(high(axis), other.high(axis)) - math.max(low(axis), other.low(axis))
      val width = high(axis) - low(axis)
      if (shared < 0) share = 0.0 else if (width > 0) share *= shared / width
      axis += 1
    }
    share
  }
}
