// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange

/**
 * Files that a run has written and that were never the table's: their names have the run's id in them. So they can be deleted
 * wherever they are found, also where somebody has moved a folder of the table.
 *
 * @param added
 *   the names of those that may have come into the table
 */
private[parquet] final case class LeftoverFiles(id: String, added: Set[String]) extends (ListedFile => Boolean) {

  /** Also of the sums that Hadoop keeps of a file. */
  override def apply(file: ListedFile): Boolean = {
    val name = ListedFile.nameOf(file.path)
    // A file of the run's that has come back by RESTORE has the run's id in its name, too.
    name.contains(id) && RestoredNames.idOf(name).forall(_ == id) && !added(ListedFile.ofSums(name).getOrElse(name))
  }
}

private[parquet] object LeftoverFiles {

  /** @param folders what the run adds to the table, or tries to */
  def apply(id: String, folders: Seq[FolderChange]): LeftoverFiles =
    LeftoverFiles(id, folders.flatMap(_.added).map(a => ListedFile.nameOf(a.path)).toSet)
}
