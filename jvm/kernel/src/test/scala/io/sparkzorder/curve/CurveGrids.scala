// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

/** Points for the tests of curves. */
object CurveGrids {

  /** Every point of a grid of `dimensions` axes with `2**bits` steps each. */
  def all(dimensions: Int, bits: Int): Seq[Array[Long]] =
    (0L until (1L << dimensions * bits)).map { cell =>
      Array.tabulate(dimensions)(axis => cell >> (axis * bits) & ((1L << bits) - 1))
    }

  /** `count` points of the grid, its corners among them; the same for the same arguments. */
  def some(dimensions: Int, bits: Int, count: Int, seed: Long): Seq[Array[Long]] = {
    val random = new scala.util.Random(seed)
    val highest = (1L << bits) - 1
    val corners = Seq(Array.fill(dimensions)(0L), Array.fill(dimensions)(highest)) ++
      (0 until dimensions).map(axis => Array.tabulate(dimensions)(a => if (a == axis) highest else 0L))
    corners ++ Seq.fill(count)(Array.fill(dimensions)(random.nextLong() & highest))
  }

  /** The bits as text, dealt out in turn: slow and plain to see. */
  def interleaved(point: Array[Long], bits: Int): Long = {
    val texts = point.map(_.toBinaryString.reverse.padTo(bits, '0').reverse)
    java.lang.Long.parseLong((0 until bits).map(bit => texts.map(_(bit)).mkString).mkString, 2)
  }

  /** The index of a point that is left as it is. */
  def position(curve: Curve, point: Array[Long]): Long = curve.position(point.clone())
}
