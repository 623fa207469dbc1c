// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout

import org.scalatest.funsuite.AnyFunSuite

class LayoutPlanSuite extends AnyFunSuite {

  private val plan = LayoutPlan(
    Seq("a", "s.b"),
    "zorder",
    31,
    50,
    1000,
    IndexedSeq(
      SectionLayout(0, "day=1", 70, 2100, IndexedSeq(CurveRange(0, 1), CurveRange(5, 1))),
      SectionLayout(1, "day=2", 30, 900, IndexedSeq(CurveRange(0, 1))))
  )

  test("sums over the sections") {
    assert((plan.files, plan.rows, plan.bytes) === ((3, 100L, 3000L)))
  }

  test("prints what will be done") {
    assert(
      plan.toString ===
        """zorder (a, s.b), 31 bits a column, 50 rows sampled, 100 rows and 3000 bytes to 3 files of about 1000 bytes
          |  day=1: 70 rows, 2100 bytes -> 2 files
          |  day=2: 30 rows, 900 bytes -> 1 files""".stripMargin)
    assert(plan.copy(sections = plan.sections.take(1).map(_.copy(name = ""))).toString.contains("  the table: 70"))
  }

  test("a range has a file at least") {
    intercept[IllegalArgumentException](CurveRange(0, 0))
  }
}
