// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.log.LogState.Rewrite

/** Finds the files that a listing of a table has too much, by the table's log: each row is to be read once. */
private[parquet] object ListingCheck {

  /**
   * The files to leave out: new ones until the verdict or after one against them, old ones after a verdict for the new
   * ones.
   *
   * Right for a listing taken while the entries and verdicts of the log stayed the same: then old files without a
   * verdict were there all the time, and so were the new files of those with one.
   *
   * @param state
   *   state of the log, read after the files were listed
   * @return
   *   the paths of these files
   */
  def filesToExclude(state: LogState, listed: Iterable[ListedFile]): Set[String] =
    if (state.rewrites.isEmpty) Set.empty
    else {
      val (replaced, added) = (Set.newBuilder[ListedFile], Set.newBuilder[(String, Long)])
      state.rewrites.foreach { rewrite =>
        rewrite.movedFolders.foreach(replaced ++= _.replaced)
        // A closed rewrite has no file left to delete, whatever its verdict was.
        val without =
          if (rewrite.isClosed) Nil else if (rewrite.moved.isEmpty) rewrite.entry.folders else rewrite.leftFolders
        without.foreach(added ++= _.added.map(a => (a.path, a.bytes)))
      }
      val (old, hidden) = (replaced.result(), added.result())
      listed.iterator.filter(f => old(f) || hidden((f.path, f.bytes))).map(_.path).toSet
    }

  /**
   * Whether a listing of unknown age is certainly older than a rewrite that the log remembers.
   *
   * @param isMissed
   *   whether a file that was not listed is there, and should have been listed. File systems make a list in steps: old
   *   files may be gone before they are looked at, when the new ones were not yet there to be seen.
   */
  def isOld(state: LogState, listed: Set[ListedFile], isMissed: String => Boolean): Boolean = {
    val names = listed.map(_.path)
    val moved = state.rewrites.filter(isRemembered)
    def hasOld(rewrite: Rewrite) = rewrite.movedFolders.exists { f =>
      f.replaced.exists(listed) && (rewrite.isClosed || !f.added.forall(a => names(a.path)))
    }
    // All of them are asked for, not the first only: who asks may remember them.
    moved.exists(hasOld) || movedIn(moved).filterNot(names).filter(isMissed).nonEmpty
  }

  /** New files that have been moved in, and have not been replaced by later ones. */
  private def movedIn(rewrites: Seq[Rewrite]): Seq[String] = {
    val folders = rewrites.flatMap(_.movedFolders)
    val replaced = folders.flatMap(_.replaced.map(_.path)).toSet
    folders.flatMap(_.added.map(_.path)).filterNot(replaced)
  }

  private def isRemembered(rewrite: Rewrite): Boolean =
    rewrite.moved.nonEmpty && (!rewrite.isClosed || rewrite.entry.folders.map(_.replaced.size).sum <= RememberedFiles)

  // Every query looks them up.
  private val RememberedFiles = 10000
}
