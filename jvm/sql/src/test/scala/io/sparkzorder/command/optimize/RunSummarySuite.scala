// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.command.optimize.RunSummary.Extent

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
        "dry run, nothing was changed: 2 -> 1 file; 900 -> 800 B")
    assert(
      RunSummary.of(Seq(none, gain("a", 0.5, 0.004)), Extent(2, 900L), Extent(1, 800L), Some(900L)) ===
        "a 50 % -> 0.4 % of files per point lookup; 2 -> 1 file; 900 -> 800 B; 0.9 s")
  }

  private def losses(
      gains: Seq[LayoutGain],
      before: Int,
      after: Int,
      partitionBy: String => Option[String] = _ => None): String =
    RunSummary.of(gains, Extent(before, 900L), Extent(after, 900L), Some(900L), None, partitionBy)
      .split("; 0.9 s", -1).last

  test("lookups of the order in which files came, which read more than before") {
    // Daily loads: a lookup by time read one of 80 files.
    val gains = Seq(gain("customer", 1.0, 0.25), gain("ts", 0.0125, 0.12))
    val said = "; lookups by ts read more than before, when files were in that order: "
    val fewer = "z-order by fewer columns, or leave the files in that order"
    assert(losses(gains, 80, 64) === said + fewer)
    assert(losses(gains, 80, 64, Map("ts" -> "the month of ts").get) ===
      said + s"partition the table by the month of ts, and z-order by the others within the partitions; or $fewer")
  }

  test("lookups of a layout of fewer files, or of one of more columns, which read more than before") {
    assert(losses(Seq(gain("a", 0.2, 0.5), gain("b", 0.3, 1.0)), 48, 2) ===
      "; lookups by a, b read more than before: a smaller target_file_size makes more files, so that they read less")
    assert(losses(Seq(gain("a", 0.2, 0.5), gain("b", 0.3, 0.3)), 48, 48) ===
      "; lookups by a read more than before: z-order by fewer columns, or leave the files as they were")
  }

  test("a little more is no loss") {
    assert(losses(Seq(gain("a", 0.2, 0.29), gain("b", 0.001, 0.02)), 48, 48) === "")
  }

  test("of a layout of which no query can skip a file, that alone is said") {
    assert(
      RunSummary.of(
        Seq(gain("a", 0.1, 1.0)),
        Extent(9, 900L),
        Extent(1, 900L),
        Some(900L),
        Some("no query can skip it"))
        === "a 10 % -> 100 % of files per point lookup; 9 -> 1 file; 900 -> 900 B; 0.9 s; no query can skip it")
  }
}
