// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.measure

import java.util.Locale

/**
 * What a layout is worth for point lookups by one column, in words.
 *
 * @param word
 *   `good`, `fair` or `poor`, or in two or three words why it is none of these
 * @param reason
 *   why
 */
final case class LayoutRating(word: String, reason: String)

/**
 * Rates layouts; every threshold stands here.
 *
 * Beside the share of files that a lookup reads stands the `least`, `files ^ (-1 / columns)`: about what any layout by
 * so many independent columns alike can reach. Between reading the least and reading all files, on a logarithmic scale,
 * a layout is good in the first third, fair in the second and poor in the last; on that scale twice the files cost the
 * same wherever one stands. A column with few values, or with one value in many rows, may do better than the least.
 */
object LayoutRating {

  /** Up to this part of the way from the least to all files a layout is good. */
  val Good: Double = 1.0 / 3

  /** Up to this part of the way it is fair. */
  val Fair: Double = 2.0 / 3

  /** From this share on every file holds nearly all values, whatever the least is. */
  val NearlyAll: Double = 0.9

  /** From this part of what lookups read on, files without statistics are the reason. */
  val MostlyUnknown: Double = 0.5

  /** A standard error is said from this part of the share on. */
  val NotableError: Double = 0.02

  /**
   * @param files
   *   number of files
   * @param unknown
   *   number of those that have no statistics of the column, so that every lookup reads them
   * @param isConstant
   *   whether there is one value only
   * @param read
   *   what lookups read; None where no row has a value
   * @param columns
   *   number of columns that share the layout, 1 or more
   * @param remedy
   *   how to get statistics
   */
  def of(
      files: Int,
      unknown: Int,
      isConstant: Boolean,
      read: Option[ReadShare],
      columns: Int,
      remedy: => String): LayoutRating =
    if (files == 0) LayoutRating("no files", "nothing to read")
    else if (unknown == files) LayoutRating("no statistics", remedy)
    else
      read match {
        case None => LayoutRating("no value", "only NULL: nothing to look up")
        case Some(_) if files == 1 => LayoutRating("one file", "nothing to skip")
        case Some(_) if isConstant && unknown == 0 => LayoutRating("constant", "nothing to skip")
        case Some(found) => graded(files, unknown, found, math.pow(files.toDouble, -1.0 / columns))
      }

  private def graded(files: Int, unknown: Int, read: ReadShare, least: Double): LayoutRating = {
    val way = math.log(read.share / least) / math.log(1 / least)
    val word = if (read.share >= NearlyAll || way > Fair) "poor" else if (way > Good) "fair" else "good"
    val ofUnknown = unknown.toDouble / files
    if (word != "good" && ofUnknown >= MostlyUnknown * read.share)
      LayoutRating(word, s"no statistics in $unknown of $files files")
    else if (read.share >= NearlyAll) LayoutRating(word, "each file has nearly all values")
    else {
      val isNotable = read.standardError >= math.max(LeastSaid, NotableError * read.share)
      val error = if (isNotable) s" ± ${share(read.standardError)}" else ""
      val beside = if (read.share > least) s", least ${share(least)}" else " of files"
      LayoutRating(word, s"lookups read ${share(read.share)}$error$beside")
    }
  }

  // Less is printed as less than 0.001.
  private val LeastSaid = 0.0005

  /** Two decimals, or three of what is less than a tenth. */
  private def share(x: Double): String =
    if (x < LeastSaid) "<0.001"
    else String.format(Locale.ROOT, if (x >= 0.0995) "%.2f" else "%.3f", Double.box(x))
}
