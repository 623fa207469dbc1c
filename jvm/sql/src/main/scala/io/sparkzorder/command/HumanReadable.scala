// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.util.Locale

/** Quantities as people read them: English, decimal units, 1 kB is 1,000 bytes. */
private[command] object HumanReadable {

  private val units = IndexedSeq("B", "kB", "MB", "GB", "TB", "PB", "EB")

  /** A number of bytes in three digits: `0 B`, `999 B`, `1.24 kB`, `12.4 MB`, `814 GB`. */
  def bytes(size: Long): String = {
    val unit = unitOf(size)
    s"${inUnit(size, unit)} ${units(unit)}"
  }

  /** Two numbers of bytes in the unit of the greater one: `814 -> 760 MB`. */
  def change(before: Long, after: Long): String = {
    val unit = unitOf(math.max(before, after))
    s"${inUnit(before, unit)} -> ${inUnit(after, unit)} ${units(unit)}"
  }

  /** A share, 0 to 1: `25 %`, `3.1 %`, `0.042 %`. The Python package's `percent` prints the same. */
  def percent(share: Double): String = {
    val value = share * 100
    val text =
      if (value == 0 || value >= 9.95) math.round(value).toString
      else BigDecimal(value).round(new java.math.MathContext(2)).bigDecimal.stripTrailingZeros.toPlainString
    s"$text %"
  }

  /** A number with its noun: `1 file`, `12 files`. */
  def count(number: Long, noun: String): String = if (number == 1) s"1 $noun" else s"$number ${noun}s"

  /** Requests to an object store by their kind: `28 requests to the store (14 HEAD, 7 GET, 7 LIST)`. */
  def requests(made: Seq[(String, Long)]): String =
    s"${count(made.map(_._2).sum, "request")} to the store (${made.map { case (kind, n) => s"$n $kind" }.mkString(", ")})"

  /** A time in milliseconds: `0.4 s`, `24 s`, `3 min 5 s`, `2 h 10 min`. */
  def time(millis: Long): String = {
    val seconds = math.round(millis / 1000.0)
    if (millis < 9950) s"${decimals(millis / 1000.0, 1)} s"
    else if (seconds < 60) s"$seconds s"
    else if (seconds < 3600) s"${seconds / 60} min ${seconds % 60} s"
    else s"${seconds / 3600} h ${seconds % 3600 / 60} min"
  }

  // 999.5 would be printed as 1000.
  private def unitOf(size: Long): Int =
    units.indices.find(u => u == units.size - 1 || size / math.pow(1000, u.toDouble) < 999.5).get

  private def inUnit(size: Long, unit: Int): String = {
    val value = size / math.pow(1000, unit.toDouble)
    if (unit == 0 || value == 0) value.toLong.toString
    else decimals(value, if (value < 9.995) 2 else if (value < 99.95) 1 else 0)
  }

  private def decimals(value: Double, places: Int): String =
    String.format(Locale.ROOT, s"%.${places}f", Double.box(value))
}
