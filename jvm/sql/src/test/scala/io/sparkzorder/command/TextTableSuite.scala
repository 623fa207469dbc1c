// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.zorder.SparkInternals.width

class TextTableSuite extends AnyFunSuite {

  private val names = Seq("column", "files", "verdict")

  private def lineWidth(rows: Seq[Seq[Any]]): Int =
    names.indices.map(i => (names(i) +: rows.map(_(i).toString)).map(width).max).sum + names.size + 1

  test("texts that fit stay as they are") {
    val rows = Seq(Seq[Any]("a" * 60, 7L, "v" * 40), Seq[Any]("b", 100000L, "w"))
    assert(TextTable.fit(names, rows, inside = 0) === rows)
  }

  test("a text that is too wide loses its middle, and no more of it than is needed") {
    val long = "the_struct_of_everything.the_beginning_of_a_name_" + "x" * 60
    val rows = Seq(Seq[Any](long + "_first", 7L, "v" * 40), Seq[Any](long + "_second", 7L, "w"), Seq[Any]("c", 7L, "w"))
    val fitted = TextTable.fit(names, rows, inside = 0)
    assert(lineWidth(fitted) === TextTable.Width)
    assert(fitted.map(_.tail) === rows.map(_.tail) && fitted(2) === rows(2))
    assert(fitted.map(_.head.toString).distinct.size === 3)
    fitted.take(2).map(_.head.toString).zip(Seq("_first", "_second")).foreach { case (name, end) =>
      assert(name.startsWith("the_struct_of_everything") && name.contains('…') && name.endsWith(end))
    }
  }

  test("where the names leave no room, ends of other columns are cut, and none of the last") {
    val rows = Seq(Seq[Any]("n" * 30, "2024-01-01 12…", "v" * 97), Seq[Any]("n", null, "v"))
    val fitted = TextTable.fit(names, rows, inside = 0, ends = Seq(1))
    assert(fitted.head === Seq("nnnn…nnn", "2024-01-01…", "v" * 97) && fitted(1) === rows(1))
    assert(TextTable.fit(names, rows.map(_.updated(2, "v" * 80)), 0, Seq(1)).map(_(1)) === rows.map(_(1)))
  }

  test("characters that take two places count as two, and none is cut in half") {
    val fitted = TextTable.fit(names, Seq(Seq[Any]("日本語" * 40, 7L, "v")), inside = 0)
    assert(Set(TextTable.Width, TextTable.Width - 1)(lineWidth(fitted)))
    assert(TextTable.cut("日本語日本語", 8) === "日本語…")
    assert(TextTable.cut("😀😀😀", 2).codePoints().toArray.forall(c => c < 0xd800 || c > 0xdfff))
  }

  test("the end of a bound is cut, and its line breaks are told") {
    assert(TextTable.cut("2024-01-01 12:34:56", 14) === "2024-01-01 12…")
    assert(TextTable.cut("fourteen chars", 14) === "fourteen chars")
    assert(TextTable.cut("a\nb", 14) === "a\\nb")
    assert(TextTable.cut(null, 14) === null)
  }
}
