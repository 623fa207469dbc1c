// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange
import io.sparkzorder.format.parquet.log.{KeptName, LogState}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

/**
 * Files of a folder that a rewrite had taken away for others of the same rows.
 *
 * @param files
 *   by their paths
 * @param others
 *   the paths of files that may hold their rows
 */
final private class OutdatedFiles private (val files: Seq[OutdatedFiles.File], others: => Seq[String]) {

  private lazy val sameRows = others.toSet

  /** The paths of those that are there, by their names and sizes. */
  def restored(there: Set[(String, Long)]): Seq[String] = files.map(f => f.path -> f.bytes).filter(there).map(_._1)

  /**
   * Whether files with some of their rows are read, in their own folder or in one that it may have become.
   *
   * @param isRead
   *   whether a file is read, by its path
   */
  def areDoubled(isRead: String => Boolean, renamed: Option[String] = None): Boolean = {
    def in(folder: String)(path: String) = s"$folder/${ListedFile.nameOf(path)}".stripPrefix("/")
    sameRows.exists(isRead) || renamed.exists(folder => sameRows.exists(path => isRead(in(folder)(path))))
  }

  /** The folders in which they were. */
  lazy val folders: Set[String] = files.iterator.map(f => ListedFile.folderOf(f.path)).toSet
}

private object OutdatedFiles {

  /**
   * @param identity
   *   see [[io.sparkzorder.format.parquet.folder.TableFolder.identities]]; None where it is not known
   */
  final case class File(path: String, bytes: Long, identity: Option[String])

  /**
   * Of each folder of a rewrite: old files, or new ones that did not stay. While it is open those are not read.
   *
   * @param asKept
   *   whether old files are looked for under the names under which they are kept, too
   */
  def of(state: LogState, rewrite: LoggedRewrite, asKept: Boolean): Seq[OutdatedFiles] = {
    def since(f: FolderChange) = state.addedSince(rewrite, f)
    val left = if (rewrite.isClosed) rewrite.leftFolders else Nil
    rewrite.movedFolders.map { f =>
      val replaced = f.replacedWithIdentities.map { case (file, identity) => File(file.path, file.bytes, identity) }
      val kept = if (asKept) replaced.map(file => file.copy(path = KeptName.nameFor(file.path))) else Nil
      new OutdatedFiles(replaced ++ kept, f.added.map(_.path) ++ since(f))
    } ++ left.map { f =>
      // Their names have the rewrite's id.
      new OutdatedFiles(f.added.map(a => File(a.path, a.bytes, None)), f.replaced.map(_.path) ++ since(f))
    }
  }
}
