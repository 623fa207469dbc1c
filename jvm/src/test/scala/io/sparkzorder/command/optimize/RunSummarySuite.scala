// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.command.optimize.report.RunSummary
import io.sparkzorder.command.optimize.report.RunSummary.Extent
import io.sparkzorder.metrics.LayoutGain

import org.scalatest.funsuite.AnyFunSuite

class RunSummarySuite extends AnyFunSuite {

  private def gain(column: String, before: Double, after: Double) = LayoutGain(column, Some(before), Some(after), 9, 2)

  test("what it was worth, in a line") {
    assert(
      RunSummary.of(
        Seq(gain("user_id", 1.0, 0.25), gain("ts", 0.9999, 0.3149)),
        Extent(48, 814000000L),
        Extent(64, 760000000L),
        Some(24100L)) ===
        "user_id 100 % -> 25 %, ts 100 % -> 31 % of files per point lookup; 48 -> 64 files; 814 -> 760 MB; 24 s")
  }

  test("a dry run takes no time, and a column without a value has no lookups") {
    val none = LayoutGain("n", None, None, 1, 1)
    assert(
      RunSummary.of(Seq(none), Extent(2, 900L), Extent(1, 800L), None) ===
        "dry run, nothing was changed: 2 -> 1 files; 900 -> 800 B")
    assert(
      RunSummary.of(Seq(none, gain("a", 0.5, 0.004)), Extent(2, 900L), Extent(1, 800L), Some(900L)) ===
        "a 50 % -> 0.4 % of files per point lookup; 2 -> 1 files; 900 -> 800 B; 0.9 s")
  }
}
