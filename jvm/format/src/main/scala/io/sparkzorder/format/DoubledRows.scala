// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/**
 * Files whose rows are in other files of a table, too, some or all of them.
 *
 * @param files
 *   their paths in the table
 * @param areElsewhere
 *   whether certainly all of their rows are in others
 */
final case class DoubledRows(files: Seq[String], areElsewhere: Boolean) {

  /** For messages; when these are gone the next one names the others. */
  def named: Seq[String] =
    if (files.size <= DoubledRows.MostNamed) files
    else files.take(DoubledRows.MostNamed) :+ s"and ${files.size - DoubledRows.MostNamed} more"

  /** What to do. */
  def advice: String =
    if (areElsewhere) "Delete these files: others have all of their rows."
    else
      "Not all that came in their place is there, or they were written anew: compare rows with a copy before you delete any."
}

object DoubledRows {
  private val MostNamed = 100
}
