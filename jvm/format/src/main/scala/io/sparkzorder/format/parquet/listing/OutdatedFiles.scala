// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange
import io.sparkzorder.format.parquet.log.LogState
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

/**
 * Files of a folder that a rewrite had taken away for others of the same rows.
 *
 * @param files
 *   their paths and sizes
 * @param times
 *   when those were last changed whose names others may use again, by their paths
 * @param others
 *   the paths of files that may hold their rows
 * @param areElsewhere
 *   whether all of these rows are in files that are there, by sizes of files that are
 */
final private class OutdatedFiles private (
    val files: Seq[(String, Long)],
    times: => Map[String, Long],
    others: => Seq[String],
    areElsewhere: (String => Option[Long]) => Boolean) {

  private lazy val sameRows = others.distinct

  private lazy val lastChanged = times

  /** Those that are there; None if none is. */
  def restored(there: Set[(String, Long)]): Option[Seq[String]] =
    Some(files.filter(there).map(_._1)).filter(_.nonEmpty)

  /**
   * Some of them, where files with their rows are there, too.
   *
   * @param listed
   *   a file that is read, by its path
   */
  def doubled(restored: Seq[String], listed: String => Option[ListedFile]): Option[DoubledRows] =
    Option.when(sameRows.exists(listed(_).isDefined)) {
      def isSame(path: String) = lastChanged.get(path).forall(time => listed(path).exists(_.modificationTime == time))
      DoubledRows(restored, restored.forall(isSame) && areElsewhere(listed(_).map(_.bytes)))
    }

  /** What they would be in a folder that theirs has become. */
  def in(folder: String): OutdatedFiles = {
    def moved(path: String) = if (folder.isEmpty) ListedFile.nameOf(path) else s"$folder/${ListedFile.nameOf(path)}"
    new OutdatedFiles(
      files.map { case (path, bytes) => (moved(path), bytes) },
      times.map { case (path, time) => (moved(path), time) },
      others.map(moved),
      bytes => areElsewhere(path => bytes(moved(path)))
    )
  }
}

private object OutdatedFiles {

  /** Of each folder of a rewrite: old files, or new ones that did not stay. While it is open those are not read. */
  def of(state: LogState, rewrite: LoggedRewrite): Seq[OutdatedFiles] = {
    def since(f: FolderChange) = state.addedSince(rewrite, f)
    def replaced(f: FolderChange) = f.replaced.map(file => file.path -> file.bytes)
    def added(f: FolderChange) = f.added.map(file => file.path -> file.bytes)
    def paths(files: Seq[(String, Long)]) = files.map(_._1)
    val left = if (rewrite.isClosed) rewrite.leftFolders else Nil
    rewrite.movedFolders.map { f =>
      def times = f.replaced.map(file => file.path -> file.modificationTime).toMap
      new OutdatedFiles(replaced(f), times, paths(added(f)) ++ since(f), bytes => state.isComplete(rewrite, bytes)(f))
    } ++ left.map { f =>
      // Their names have the rewrite's id.
      new OutdatedFiles(added(f), Map.empty, paths(replaced(f)) ++ since(f), bytes => state.isKept(rewrite, bytes)(f))
    }
  }
}
