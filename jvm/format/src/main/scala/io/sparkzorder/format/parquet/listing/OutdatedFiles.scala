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
 *   whether all of these rows are in files that are there, by their paths
 * @param original
 *   whether they lie where the rewrite had them
 */
final private class OutdatedFiles private (
    val files: Seq[(String, Long)],
    times: => Map[String, Long],
    others: => Seq[String],
    areElsewhere: (String => Option[ListedFile]) => Boolean,
    original: Boolean = true) {

  private lazy val sameRows = others.distinct

  private lazy val lastChanged = times

  /** Those that are there; None if none is. */
  def restored(there: Set[(String, Long)]): Option[Seq[String]] =
    Some(files.filter(there).map(_._1)).filter(_.nonEmpty)

  /**
   * Whether files with some of their rows are there.
   *
   * @param there
   *   a file that is read, by its path
   */
  def areDoubled(there: String => Option[ListedFile]): Boolean = sameRows.exists(there(_).isDefined)

  /**
   * Whether some of them can be deleted without loss.
   *
   * @param there
   *   a file that is read and stays, by its path
   */
  def canGo(restored: Seq[ListedFile], there: String => Option[ListedFile]): Boolean = {
    // Elsewhere a file of the same task may have one name and size, and its time where that has seconds only.
    def isSame(file: ListedFile) = lastChanged.get(file.path).forall { time =>
      file.modificationTime == time && (original || time % 1000 != 0)
    }
    restored.forall(isSame) && areElsewhere(there)
  }

  /** The folders in which they were. */
  def folders: Set[String] = files.iterator.map(f => ListedFile.folderOf(f._1)).toSet

  /** What they would be in a folder that theirs has become. */
  def in(folder: String): OutdatedFiles = {
    def moved(path: String) = if (folder.isEmpty) ListedFile.nameOf(path) else s"$folder/${ListedFile.nameOf(path)}"
    new OutdatedFiles(
      files.map { case (path, bytes) => (moved(path), bytes) },
      times.map { case (path, time) => (moved(path), time) },
      others.map(moved),
      there => areElsewhere(path => there(moved(path)).map(_.copy(path = path))),
      original = false
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
      def areComplete(there: String => Option[ListedFile]) = state.isComplete(rewrite, state.sizes(there))(f)
      new OutdatedFiles(replaced(f), times, paths(added(f)) ++ since(f), areComplete)
    } ++ left.map { f =>
      // Their names have the rewrite's id.
      new OutdatedFiles(added(f), Map.empty, paths(replaced(f)) ++ since(f), there => state.isKept(rewrite, there)(f))
    }
  }
}
