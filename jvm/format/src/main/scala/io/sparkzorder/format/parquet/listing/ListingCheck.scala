// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogState
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

/**
 * Finds the files that a listing of a table has too much, by the table's log: each row is to be read once.
 *
 * Only rewrites that are not closed leave files out: once one is closed, a file that is there counts, also one that the
 * rewrite had replaced and that somebody has restored.
 */
private[parquet] object ListingCheck {

  /**
   * The files to leave out: new ones until the verdict or after one against them, old ones after a verdict for the new
   * ones. Old ones only while all new ones are there or were replaced in their turn: somebody may have deleted new files
   * and restored old ones before the rewrite was closed; and only as long as they are the very files: another one of that
   * name, size and time may have rows of its own. In a copy of a log whose data files are of after the verdict, the
   * new ones count that are there, and old ones unless all new ones are.
   *
   * Right for a listing taken while [[LogState.fingerprint]] stayed the same: then old files without a verdict were
   * there all the time, and so were the new files of those with one, and no old file was deleted for a rewrite that is
   * closed.
   *
   * @param state
   *   state of the log, read after the files were listed
   * @param bytes
   *   the size of a file of the table that is not listed and is there now
   * @param isAnother
   *   whether another file is there by now than an entry has, by its identity, which has the same name, size and time
   * @return
   *   the paths of these files
   */
  def filesToExclude(
      state: LogState,
      listed: Iterable[ListedFile],
      bytes: String => Option[Long],
      isAnother: (ListedFile, Option[String]) => Boolean): Set[String] =
    if (state.open.isEmpty) Set.empty
    else {
      lazy val sizes = listed.iterator.map(f => f.path -> f.bytes).toMap
      def bytesNow(path: String) = sizes.get(path).orElse(bytes(path))
      val (replaced, hidden) = (Map.newBuilder[ListedFile, Option[String]], Set.newBuilder[(String, Long)])
      state.open.foreach { rewrite =>
        val (movedAfterVerdict, withoutVerdict) =
          if (rewrite.moved.nonEmpty) (Nil, Nil)
          else rewrite.entry.folders.partition(rewrite.isAfterVerdict(_, bytesNow))
        val moved = (rewrite.movedFolders ++ movedAfterVerdict).filter(state.isComplete(rewrite, bytesNow))
        // Copies may have other times.
        if (rewrite.isCopied) moved.foreach(hidden ++= _.replaced.map(r => (r.path, r.bytes)))
        else moved.foreach(replaced ++= _.replacedWithIdentities)
        (rewrite.leftFolders ++ withoutVerdict).foreach(hidden ++= _.added.map(a => (a.path, a.bytes)))
      }
      val (old, out) = (replaced.result().groupBy(_._1.path), hidden.result())
      def isReplaced(file: ListedFile) =
        old.get(file.path).exists(_.exists { case (of, identity) => of.isSame(file) && !isAnother(file, identity) })
      listed.iterator.filter(f => out((f.path, f.bytes)) || isReplaced(f)).map(_.path).toSet
    }

  /**
   * Whether a listing of unknown age is certainly older than a rewrite that the log remembers.
   *
   * @param bytes
   *   the size of a file of the table that is there now
   * @param isCovered
   *   whether a file that is there should have been listed. File systems make a list in steps: old files may be gone
   *   before they are looked at, when the new ones were not yet there to be seen.
   */
  def isStale(
      state: LogState,
      listed: Set[ListedFile],
      bytes: String => Option[Long],
      isCovered: String => Boolean): Boolean = {
    val byPath = listed.groupBy(_.path)
    val names = byPath.keySet
    def isListed(file: ListedFile) = byPath.get(file.path).exists(_.exists(_.isSame(file)))
    def isThere(path: String) = bytes(path).isDefined
    def hasOld(rewrite: LoggedRewrite) = rewrite.movedFolders.exists { f =>
      // One that was restored since is no sign.
      if (rewrite.isClosed) f.replaced.exists(file => isListed(file) && !isThere(file.path))
      else f.replaced.exists(isListed) && !f.added.forall(a => names(a.path))
    }
    // All of them are asked for, not the first only: who asks may remember them.
    state.rewrites.filter(isRemembered).exists(hasOld) ||
    movedIn(state).filterNot(names).filter(f => isCovered(f) && isThere(f)).nonEmpty
  }

  /** New files that have been moved in, and have not been replaced by later ones. */
  private def movedIn(state: LogState): Seq[String] = {
    val folders = state.rewrites.flatMap(_.movedFolders)
    val replaced = folders.flatMap(_.replaced.map(_.path)).toSet
    folders.flatMap(_.added.map(_.path)).filterNot(replaced)
  }

  private[listing] def isRemembered(rewrite: LoggedRewrite): Boolean =
    rewrite.moved.nonEmpty && (!rewrite.isClosed || rewrite.entry.folders.map(_.replaced.size).sum <= RememberedFiles)

  // Every query looks them up.
  private val RememberedFiles = 10000
}
