// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

/**
 * An order of the points of a grid of `dimensions` axes with `2**bits` steps each.
 *
 * `position` maps a point to its curve position, 0 .. 2**(dimensions * bits) - 1, and is a bijection. A position has at
 * most 63 bits, so it is never negative and compares as a plain long.
 */
abstract class Curve(val dimensions: Int, val bits: Int) extends Serializable {
  require(dimensions >= 1 && bits >= 1 && dimensions * bits <= Curve.IndexBits, s"$dimensions axes of $bits bits")

  def name: String

  /** The curve position of `point`, `dimensions` coordinates in 0 .. 2**bits - 1. May overwrite `point`. */
  def position(point: Array[Long]): Long
}

object Curve {

  /** Bits of a curve position: a non-negative long. */
  val IndexBits = 63

  /** The names of the curves, the default first. */
  val names: Seq[String] = Seq("zorder", "hilbert")

  /** The curve of a name of [[names]] through the grid of `dimensions` axes, with all the bits that fit. */
  def of(name: String, dimensions: Int): Curve = name match {
    case "zorder" => new ZCurve(dimensions, bitsFor(dimensions))
    case "hilbert" => new HilbertCurve(dimensions, bitsFor(dimensions))
  }

  /** The bits that each of `dimensions` axes gets. */
  def bitsFor(dimensions: Int): Int = IndexBits / dimensions
}
