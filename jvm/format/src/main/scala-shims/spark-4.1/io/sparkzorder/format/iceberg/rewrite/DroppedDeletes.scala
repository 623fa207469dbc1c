// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import scala.jdk.CollectionConverters._

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
    val kept = all.filterNot(task => paths(task.file.location)).flatMap(_.deletes.asScala).map(key).toSet
    rewritten.flatMap(_.deletes.asScala).distinctBy(key).filterNot(delete => kept(key(delete)))
  }

  // A file may hold many deletion vectors.
  private def key(delete: DeleteFile): (String, Any) = (delete.location, delete.contentOffset)
}
