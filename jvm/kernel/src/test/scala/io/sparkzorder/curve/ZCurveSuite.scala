// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.curve

import org.scalatest.funsuite.AnyFunSuite

class ZCurveSuite extends AnyFunSuite {

  for (dimensions <- 1 to 16)
    test(s"$dimensions axes of ${63 / dimensions} bits: the bits in turn, the first axis first") {
      val bits = Curve.bitsFor(dimensions)
      assert(bits === 63 / dimensions)
      val curve = new ZCurve(dimensions, bits)
      CurveGrids.some(dimensions, bits, count = 300, seed = dimensions).foreach { point =>
        val index = CurveGrids.position(curve, point)
        assert(index >= 0)
        assert(index === CurveGrids.interleaved(point, bits), point.mkString("(", ", ", ")"))
      }
    }

  test("fewer bits than there is room for") {
    for (dimensions <- 1 to 16; bits <- Seq(1, 2, 3).filter(_ * dimensions <= 63)) {
      val curve = new ZCurve(dimensions, bits)
      CurveGrids.some(dimensions, bits, count = 20, seed = bits).foreach { point =>
        assert(CurveGrids.position(curve, point) === CurveGrids.interleaved(point, bits))
      }
    }
  }

  test("every point of a small grid has a place of its own, and no place is left out") {
    for ((dimensions, bits) <- Seq(1 -> 10, 2 -> 5, 3 -> 4, 4 -> 3, 5 -> 2, 12 -> 1)) {
      val curve = new ZCurve(dimensions, bits)
      val places = CurveGrids.all(dimensions, bits).map(CurveGrids.position(curve, _))
      assert(places.sorted === (0L until (1L << dimensions * bits)))
    }
  }

  test("the grid of four by four, the first column most significant") {
    val expected =
      Seq("00", "01", "10", "11", "02", "03", "12", "13", "20", "21", "30", "31", "22", "23", "32", "33")
    val curve = new ZCurve(2, 2)
    val order = CurveGrids.all(2, 2).sortBy(CurveGrids.position(curve, _)).map(_.mkString)
    assert(order === expected)
  }

  test("pairs in z-order") {
    val curve = new ZCurve(2, 31)
    val pairs = Seq(
      (1L, 3L) -> (2L, 0L),
      (0L, 1L) -> (1L, 0L),
      (1L, 7L) -> (2L, 4L),
      (3L, 7L) -> (4L, 0L),
      (5L, 7L) -> (6L, 4L),
      (5L, 5L) -> (6L, 4L),
      (3L, 7L) -> (6L, 1L)
    )
    pairs.foreach { case ((a, b), (c, d)) =>
      assert(curve.position(Array(a, b)) < curve.position(Array(c, d)), s"($a, $b) before ($c, $d)")
    }
  }

  test("the index of more than 63 bits, of no axis and of no bit is refused") {
    Seq(2 -> 32, 16 -> 4, 64 -> 1, 0 -> 3, 2 -> 0).foreach { case (dimensions, bits) =>
      intercept[IllegalArgumentException](new ZCurve(dimensions, bits))
    }
  }
}
