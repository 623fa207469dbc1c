// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.describe

/**
 * By how many columns files are laid out, which decides what a layout can be worth for one of them.
 *
 * @param clusterings
 *   of each file that records its layout the columns, by the names under which files store them
 * @param asked
 *   number of columns that the statement names; 0 where it names none
 */
private[describe] final class LayoutSharing(clusterings: Seq[Seq[Seq[String]]], asked: Int) {

  private val files: Map[Seq[Seq[String]], Int] = clusterings.groupMapReduce(identity)(_ => 1)(_ + _)

  /**
   * Of a column that files are clustered by, the number of columns that most of them are: what else a statement names
   * does not change it. Of another column, the number that the statement names; where it names none, that of most
   * clustered files, else 1.
   *
   * @param column
   *   its names in files
   */
  def by(column: Seq[String]): Int = {
    val byIt = files.filter { case (columns, _) => columns.contains(column) }
    if (byIt.nonEmpty) most(byIt) else if (asked > 0) asked else if (files.nonEmpty) most(files) else 1
  }

  /** The number of columns of most files; of the larger number, where as many have another. */
  private def most(of: Map[Seq[Seq[String]], Int]): Int =
    of.toSeq.groupMapReduce(_._1.size)(_._2)(_ + _).maxBy { case (columns, count) => (count, columns) }._1
}
