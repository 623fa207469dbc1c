// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import scala.util.Random

/** Filters over functions of the columns of [[RandomIcebergQueriesSuite]], and such as no statistics are of use for. */
private[scan] final class RandomFilters(random: Random) {

  private def one[T](of: T*): T = of(random.nextInt(of.size))

  def next(): String = combined(1 + random.nextInt(2))

  private def combined(depth: Int): String = {
    def part: String = if (depth <= 1) leaf else combined(depth - 1)
    random.nextInt(9) match {
      case 0 | 1 => s"($part AND $part)"
      case 2 | 3 => s"($part OR $part)"
      case 4 => s"NOT ($part)"
      case 5 => one(s"coalesce($part, $part)", s"if($part, $part, $part)", s"CASE WHEN $part THEN $part END")
      case _ => leaf
    }
  }

  private def leaf: String = random.nextInt(9) match {
    case 0 | 1 | 2 => compared(whole, () => number(2000))
    case 3 | 4 => text
    case 5 => compared(real, () => one("double('NaN')", "0.0D", "-0.0D", s"${number(700)} / 4.0D"))
    case 6 => compared(one("date(at) + INTERVAL 1 DAY", "trunc(d, 'MM')", "coalesce(d, DATE'2024-02-01')"), () => date)
    case 7 => compared(
        one("year(d)", "month(d)", "quarter(at)", "day(at)", "year(at) - 2020", "dayofyear(d)"),
        () => number(40))
    case 8 => compared("date_trunc('DAY', at)", () => s"timestamp($date)")
  }

  private def number(below: Int): String = s"${random.nextInt(below) - 20}"

  private def date: String = s"DATE'2024-0${1 + random.nextInt(3)}-1${random.nextInt(10)}'"

  private def whole: String = {
    val column = one("id", "i", "i", "st.n", "p", "cast(i AS BIGINT)")
    one(
      s"$column + ${number(500)}",
      s"${number(500)} - $column",
      s"-$column",
      s"$column * ${number(5)}",
      s"coalesce($column, ${number(700)})",
      s"try_add($column, 2147483000)",
      s"$column % 7",
      s"abs($column)"
    )
  }

  private def real: String = {
    val column = one("x", "y", "st.z", "cast(i AS DOUBLE)")
    one(s"coalesce($column, ${number(300)})", s"cast($column AS DOUBLE)", s"$column + 1")
  }

  private def text: String = {
    val term =
      one(s"substr(s, 1, ${random.nextInt(4)})", "left(s, 2)", "coalesce(s, 'M')", "upper(s)", "substr(s, 2, 1)")
    val start = one("A", "K1", "Z", "lo", "long common beginning 7", "1", "15", "")
    if (random.nextInt(3) == 0) s"$term LIKE '$start${one("%", "", "_", "%1")}'" else compared(term, () => s"'$start'")
  }

  private def compared(term: String, value: () => String): String = random.nextInt(8) match {
    case 0 => s"$term IN (${value()}, ${value()}, ${value()})"
    case 1 => s"$term IS ${one("", "NOT ")}NULL"
    case 2 => s"$term BETWEEN ${value()} AND ${value()}"
    case 3 => s"$term NOT IN (${value()}, ${one("NULL", value())})"
    case _ => s"$term ${one("=", "=", "<", "<=", ">", ">=", "<>", "<=>")} ${value()}"
  }
}
