// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import org.scalatest.funsuite.AnyFunSuite

class LayoutRatingSuite extends AnyFunSuite {

  private def rating(
      share: Double,
      files: Int = 48,
      unknown: Int = 0,
      columns: Int = 3,
      error: Double = 0.0,
      isConstant: Boolean = false): LayoutRating =
    LayoutRating.of(files, unknown, isConstant, Some(ReadShare(share, error)), columns, "ask")

  test("thirds of the way from the least to all files, on a logarithmic scale") {
    // 48 ^ (-1 / 3) is 0.275.
    assert(rating(0.389) === LayoutRating("good", "lookups read 0.39, least 0.28"))
    assert(rating(0.43) === LayoutRating("fair", "lookups read 0.43, least 0.28"))
    assert(rating(0.64) === LayoutRating("fair", "lookups read 0.64, least 0.28"))
    assert(rating(0.706) === LayoutRating("poor", "lookups read 0.71, least 0.28"))
    assert(rating(0.99) === LayoutRating("poor", "each file has nearly all values"))
    assert(rating(0.214) === LayoutRating("good", "lookups read 0.21 of files"))
    assert(rating(0.0042, files = 1000000, columns = 2) === LayoutRating("good", "lookups read 0.004, least 0.001"))
    assert(
      rating(0.0002, files = 100000000, columns = 2) === LayoutRating("good", "lookups read <0.001, least <0.001"))
    assert(rating(0.5, files = 2, columns = 1) === LayoutRating("good", "lookups read 0.50 of files"))
  }

  test("the standard error where it matters") {
    assert(rating(0.389, error = 0.005) === LayoutRating("good", "lookups read 0.39, least 0.28"))
    assert(rating(0.389, error = 0.02) === LayoutRating("good", "lookups read 0.39 ± 0.020, least 0.28"))
    assert(rating(0.214, error = 0.1) === LayoutRating("good", "lookups read 0.21 ± 0.10 of files"))
  }

  test("reasons other than the layout") {
    assert(rating(1.0, files = 1) === LayoutRating("one file", "nothing to skip"))
    assert(rating(1.0, isConstant = true) === LayoutRating("constant", "nothing to skip"))
    assert(rating(1.0, isConstant = true, unknown = 1) === LayoutRating("poor", "each file has nearly all values"))
    assert(rating(1.0, unknown = 48) === LayoutRating("no statistics", "ask"))
    assert(rating(0.7, unknown = 30) === LayoutRating("poor", "no statistics in 30 of 48 files"))
    assert(rating(0.3, unknown = 20) === LayoutRating("good", "lookups read 0.30, least 0.28"))
    assert(LayoutRating.of(0, 0, false, None, 1, "ask") === LayoutRating("no files", "nothing to read"))
    assert(LayoutRating.of(3, 0, false, None, 1, "ask") === LayoutRating("no value", "only NULL: nothing to look up"))
  }

  test("a word is whole in a table that cuts at 20 characters, a reason in one of 120") {
    val graded = for (share <- Seq(0.00001, 0.3, 0.7, 1.0); error <- Seq(0.0, 0.5); unknown <- Seq(0, 90000);
      files <- Seq(2, 100000))
      yield rating(share, files = files, unknown = math.min(unknown, files - 1), error = share * error)
    val others = Seq(rating(1.0, unknown = 48), rating(1.0, isConstant = true), rating(1.0, files = 1)) ++
      Seq(0, 3).map(LayoutRating.of(_, 0, false, None, 1, "ask"))
    for (found <- graded ++ others) assert(found.word.length <= 13 && found.reason.length <= 40)
  }
}
