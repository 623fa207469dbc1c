// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogEntry.{FolderChange, Link}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

/**
 * The state of a table's log at one moment.
 *
 * @param log
 *   the id of the log; None where the table has no log
 * @param rewrites
 *   the rewrites that the log still has, in the order of their numbers
 * @param highest
 *   the highest number in use, also by an entry that does not count; 0 where there is none
 */
private[parquet] final case class LogState(log: Option[String], rewrites: Seq[LoggedRewrite], highest: Long) {

  /** The entry to which the next one links. */
  def last: Option[Link] = rewrites.lastOption.map(_.entry.link)

  private lazy val names: Set[String] = rewrites.iterator.flatMap(_.entry.paths).toSet

  /** Whether an entry names a file, by its path, as one to replace or to add. */
  def isNamed(path: String): Boolean = names(path)

  private lazy val foldersOfNames: Set[String] = names.map(ListedFile.folderOf)

  /** Whether an entry names a file right in a folder. */
  def isNamedIn(folder: String): Boolean = foldersOfNames(folder)

  /** Whether entries name files only in these folders. */
  def areNamedIn(folders: String => Boolean): Boolean = foldersOfNames.forall(folders)

  def withoutVerdict: Seq[LoggedRewrite] = rewrites.filter(_.moved.isEmpty)

  /** The rewrites of which files may have to be moved or deleted. */
  def open: Seq[LoggedRewrite] = rewrites.filterNot(_.isClosed)

  /**
   * The part of the log that must be the same before and after a reader lists the table: then each file that the reader
   * leaves out has its rows in files that it has listed, and a file of a closed rewrite that it has listed is one that
   * was restored.
   */
  def fingerprint: (Option[String], Option[Link], Set[Link], Set[Link]) =
    (log, last, withoutVerdict.map(_.entry.link).toSet, open.map(_.entry.link).toSet)

  /**
   * Whether all new files of a folder that was moved are there, or were replaced in their turn by files that are.
   *
   * @param bytes
   *   the size of a file that was there before this state was read, by its path
   */
  def isComplete(rewrite: LoggedRewrite, bytes: String => Option[Long])(folder: FolderChange): Boolean =
    folder.added.forall(a => a.isIn(bytes) || isReplaced(a.path, rewrite, bytes))

  private def isReplaced(path: String, added: LoggedRewrite, bytes: String => Option[Long]): Boolean =
    since(added).exists { later =>
      later.movedFolders.exists(f => f.replaced.exists(_.path == path) && isComplete(later, bytes)(f))
    }

  /** The new files that later rewrites have moved into a folder. */
  def addedSince(rewrite: LoggedRewrite, folder: FolderChange): Seq[String] =
    since(rewrite).flatMap(_.movedFolders).filter(_.path == folder.path).flatMap(_.added.map(_.path))

  private def since(rewrite: LoggedRewrite): Seq[LoggedRewrite] = rewrites.filter(_.entry.number > rewrite.entry.number)

  /**
   * Whether a rewrite that began at this state may no longer write an entry for a folder at the state `now`, because
   * another has written one for the folder or for one of the files to replace.
   */
  def isTaken(now: LogState): FolderChange => Boolean = {
    val settled = rewrites.filter(_.moved.nonEmpty).map(_.entry.link).toSet
    val others = now.rewrites.filterNot(r => settled(r.entry.link)).flatMap(_.entry.folders)
    val (paths, files) = (others.map(_.path).toSet, others.flatMap(_.replaced.map(_.path)).toSet)
    f => paths(f.path) || f.replaced.exists(file => files(file.path))
  }
}

private[parquet] object LogState {

  val empty: LogState = LogState(None, Nil, 0L)

  /**
   * @param moved
   *   the verdict: the folders whose new files have been moved in; None while there is no verdict
   * @param isClosed
   *   whether no file is left that had to go
   * @param isCopied
   *   whether it is open in a copy of the log in which the entry was written, or in that log brought back from before the
   *   verdict
   */
  final case class LoggedRewrite(
      entry: LogEntry,
      moved: Option[Set[String]],
      isClosed: Boolean,
      isCopied: Boolean = false) {

    /**
     * Whether a folder's files are of a time after the verdict, which a log that was copied before does not have: old files
     * are deleted after a verdict for the new ones. So what is there of these counts. Another rewrite, which the log does
     * not have either, may have replaced some of them; then no old file is left.
     *
     * @param bytes
     *   the size of a file of the table that is there, by its path
     */
    def isAfterVerdict(folder: FolderChange, bytes: String => Option[Long]): Boolean = isCopied && moved.isEmpty && {
      def isThere(file: ListedFile) = bytes(file.path).contains(file.bytes)
      if (folder.added.forall(_.isIn(bytes))) !folder.replaced.forall(isThere)
      else folder.added.exists(_.isIn(bytes)) && !folder.replaced.exists(isThere)
    }

    /** Folders that have their new files, where that is decided. */
    def movedFolders: Seq[FolderChange] = moved.fold(Seq.empty[FolderChange])(m => entry.folders.filter(f => m(f.path)))

    /** Folders that keep their old files, where that is decided. */
    def leftFolders: Seq[FolderChange] =
      moved.fold(Seq.empty[FolderChange])(m => entry.folders.filterNot(f => m(f.path)))
  }
}
