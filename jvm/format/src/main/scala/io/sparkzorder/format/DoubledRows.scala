// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

/**
 * Files whose rows are in other files of a table, too, as far as names, sizes and what distinguishes files show.
 *
 * @param files
 *   their paths in the table
 */
final case class DoubledRows(files: Seq[String]) {

  /** For messages; when these are gone the next one names the others. */
  def named: Seq[String] =
    if (files.size <= DoubledRows.MostNamed) files
    else files.take(DoubledRows.MostNamed) :+ s"and ${files.size - DoubledRows.MostNamed} more"

  /**
   * What to do. Another file may have a name and a size: nobody is advised to delete one whose rows were not compared.
   */
  def advice: String =
    "Delete those of which all rows are in other files, and no other: a query that compares them is in docs/parquet.md."
}

object DoubledRows {
  private val MostNamed = 100
}
