// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import org.scalatest.funsuite.AnyFunSuite

class FileBoxSuite extends AnyFunSuite {

  private def box(x: (Double, Double), y: (Double, Double)): FileBox =
    FileBox(IndexedSeq(x._1, y._1), IndexedSeq(x._2, y._2), 1, 1)

  private val unit = box(0.0 -> 1.0, 0.0 -> 1.0)

  test("the share of a box that lies in another") {
    assert(unit.shareWithin(unit) === 1.0)
    assert(unit.shareWithin(box(0.5 -> 2.0, 0.0 -> 0.5)) === 0.25)
    assert(box(0.25 -> 0.5, 0.25 -> 0.5).shareWithin(unit) === 1.0)
    assert(unit.shareWithin(box(1.5 -> 2.0, 0.0 -> 1.0)) === 0.0)
  }

  test("a box of one value on an axis is in another or not") {
    val line = box(0.5 -> 0.5, 0.0 -> 1.0)
    assert(line.shareWithin(unit) === 1.0 && line.shareWithin(box(0.0 -> 0.5, 0.5 -> 1.0)) === 0.5)
    assert(line.shareWithin(box(0.6 -> 1.0, 0.0 -> 1.0)) === 0.0 && unit.shareWithin(line) === 0.0)
  }
}
