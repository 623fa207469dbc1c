// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.scalatest.funsuite.AnyFunSuite

class LayoutSharingSuite extends AnyFunSuite {

  private def sharing(asked: Int, clusterings: (Int, String)*): String => Int = {
    val files = clusterings.flatMap { case (count, columns) => Seq.fill(count)(columns.split(' ').toSeq.map(Seq(_))) }
    val found = new LayoutSharing(files, asked)
    column => found.by(Seq(column))
  }

  test("a column that files are clustered by has their number, whatever is asked") {
    for (asked <- 0 to 4) assert(sharing(asked, 7 -> "a b c")("b") === 3)
    val some = sharing(1, 2 -> "a b c", 3 -> "b a", 9 -> "d")
    assert((some("a"), some("c"), some("d")) === ((2, 3, 1)))
    assert(sharing(1, 2 -> "a b c", 2 -> "a b")("a") === 3)
  }

  test("another column has the number asked, else that of most files, else one") {
    assert(sharing(2, 7 -> "a b c")("x") === 2)
    assert(sharing(0, 7 -> "a b c", 1 -> "a")("x") === 3)
    assert(sharing(4)("x") === 4 && sharing(0)("x") === 1)
  }
}
