// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.scalatest.funsuite.AnyFunSuite

class HumanReadableSuite extends AnyFunSuite {

  test("bytes in three digits") {
    val expected = Seq(
      0L -> "0 B",
      7L -> "7 B",
      999L -> "999 B",
      1000L -> "1.00 kB",
      9994L -> "9.99 kB",
      9996L -> "10.0 kB",
      12400000L -> "12.4 MB",
      99960000L -> "100 MB",
      999400000L -> "999 MB",
      999600000L -> "1.00 GB",
      814000000000L -> "814 GB",
      Long.MaxValue -> "9.22 EB"
    )
    for ((size, text) <- expected) assert(HumanReadable.bytes(size) === text)
  }

  test("two sizes in one unit") {
    assert(HumanReadable.change(814000000L, 760000000L) === "814 -> 760 MB")
    assert(HumanReadable.change(814000000L, 1200000000L) === "0.81 -> 1.20 GB")
    assert(HumanReadable.change(0L, 500L) === "0 -> 500 B")
  }

  test("shares") {
    val expected =
      Seq(
        1.0 -> "100 %",
        0.99997 -> "100 %",
        0.9999997 -> "100 %",
        0.25 -> "25 %",
        0.0996 -> "10 %",
        0.05 -> "5 %",
        0.031 -> "3.1 %",
        0.004 -> "0.4 %",
        0.00042 -> "0.042 %",
        0.00000123 -> "0.00012 %",
        0.0 -> "0 %"
      )
    for ((share, text) <- expected) assert(HumanReadable.percent(share) === text)
  }

  test("numbers with their nouns") {
    assert(Seq(0L, 1L, 12L).map(HumanReadable.count(_, "file")) === Seq("0 files", "1 file", "12 files"))
  }

  test("times have two units at most, and a decimal below ten seconds") {
    val expected = Seq(
      0L -> "0.0 s",
      420L -> "0.4 s",
      9949L -> "9.9 s",
      9951L -> "10 s",
      24000L -> "24 s",
      59600L -> "1 min 0 s",
      185000L -> "3 min 5 s",
      7800000L -> "2 h 10 min")
    for ((millis, text) <- expected) assert(HumanReadable.time(millis) === text)
  }
}
