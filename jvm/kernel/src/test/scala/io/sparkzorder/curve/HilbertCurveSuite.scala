// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

import org.scalatest.funsuite.AnyFunSuite

class HilbertCurveSuite extends AnyFunSuite {

  /** The `hilbert` of the reference model, line by line, in arithmetic of any width. */
  private def reference(point: Array[Long], bits: Int): BigInt = {
    val x = point.map(BigInt(_))
    val n = x.length
    for (bit <- bits - 1 to 1 by -1) {
      val p = (BigInt(1) << bit) - 1
      for (i <- 0 until n) {
        val high = x(i).testBit(bit)
        if (high) x(0) = x(0) ^ p
        val swap = if (high) BigInt(0) else (x(0) ^ x(i)) & p
        x(0) = x(0) ^ swap
        x(i) = x(i) ^ swap
      }
    }
    for (i <- 1 until n) x(i) = x(i) ^ x(i - 1)
    val flip = (1 until bits).filter(x(n - 1).testBit(_)).foldLeft(BigInt(0))((f, bit) => f ^ ((BigInt(1) << bit) - 1))
    val flipped = x.map(_ ^ flip)
    val digits = for (bit <- bits - 1 to 0 by -1; axis <- flipped) yield if (axis.testBit(bit)) '1' else '0'
    BigInt(digits.mkString, 2)
  }

  for (dimensions <- 1 to 16)
    test(s"$dimensions axes: the reference's place of every point") {
      val bits = Curve.bitsFor(dimensions)
      val curve = new HilbertCurve(dimensions, bits)
      CurveGrids.some(dimensions, bits, count = 100, seed = dimensions).foreach { point =>
        assert(BigInt(CurveGrids.position(curve, point)) === reference(point, bits))
      }
    }

  for ((dimensions, bits) <- Seq(2 -> 1, 2 -> 6, 3 -> 4, 4 -> 3))
    test(s"$dimensions axes of $bits bits: each place once, and one step from each point to the next") {
      val curve = new HilbertCurve(dimensions, bits)
      val byPlace = CurveGrids.all(dimensions, bits).map(p => CurveGrids.position(curve, p) -> p).sortBy(_._1)
      assert(byPlace.map(_._1) === (0L until (1L << dimensions * bits)))
      byPlace.map(_._2).sliding(2).foreach { case Seq(a, b) =>
        assert(a.zip(b).map { case (x, y) => math.abs(x - y) }.sum === 1, s"${a.mkString(",")} ${b.mkString(",")}")
      }
    }

  test("the first bits name the cell of the grid, as in z-order") {
    // A cut at a border of cells of the index is a border of cells of the grid: what FileCuts relies on.
    val curve = new HilbertCurve(2, 5)
    CurveGrids.all(2, 5).groupBy(CurveGrids.position(curve, _) >> 6).values.foreach { cell =>
      for (axis <- 0 to 1) assert(cell.map(_(axis) >> 3).distinct.size === 1)
    }
  }
}
