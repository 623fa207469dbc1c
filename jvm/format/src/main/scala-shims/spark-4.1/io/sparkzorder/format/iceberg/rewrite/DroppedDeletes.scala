// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.collection.mutable

import org.apache.iceberg.{DeleteFile, FileScanTask}

/** The deletes that leave a table with the files of a rewrite, whose rows are without them: those that are of no other file. */
private[iceberg] object DroppedDeletes {

  /**
   * Files that come into the table concurrently are not of these deletes: they have higher sequence numbers, or replace files
   * that the rewrite replaces, too, and one of the two commits is refused.
   *
   * @param all
   *   the tasks of all files of the version that is rewritten, each with all deletes that may be of its rows
   * @param rewritten
   *   those of the files that are rewritten
   */
  def of(all: Seq[FileScanTask], rewritten: Seq[FileScanTask]): Seq[DeleteFile] = {
    val paths = rewritten.map(_.file.location).toSet
    // A file may have thousands of deletes in common with all others: one by one, and each once.
    val found = mutable.LinkedHashMap.empty[(String, Any), DeleteFile]
    rewritten.foreach(_.deletes.forEach(delete => found.getOrElseUpdate(key(delete), delete): Unit))
    all.iterator.filterNot(task => paths(task.file.location)).foreach(_.deletes.forEach(d => found -= key(d): Unit))
    found.values.toSeq
  }

  // A file may hold many deletion vectors.
  private def key(delete: DeleteFile): (String, Any) = (delete.location, delete.contentOffset)
}
