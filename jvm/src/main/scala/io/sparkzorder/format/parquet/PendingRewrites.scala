package io.sparkzorder.format.parquet

import io.sparkzorder.format.parquet.Journal.{Phase, State}
import io.sparkzorder.format.parquet.JournalEntry.{FileId, Folder}

/**
 * Makes a listing of a table true while a rewrite is half done, or was left so: each row is to be read once.
 *
 * The journal must be read after the files were listed.
 */
private[parquet] object PendingRewrites {

  /**
   * @param listed
   *   the files found, which may be those of some folders only
   * @param isFresh
   *   whether they were listed just now: what then seems to be old, somebody has put there since
   * @return
   *   the paths to leave out; None where the list is older than a rewrite, and the table has to be listed again
   */
  def leftOut(states: Seq[State], listed: Set[FileId], isFresh: Boolean = false): Option[Set[String]] =
    if (states.isEmpty) Some(Set.empty)
    else {
      val names = listed.map(_.path)
      val parts =
        for (state <- states; folder <- state.entry.folders) yield leftOut(state, folder, listed, names, isFresh)
      if (parts.exists(_.isEmpty)) None else Some(parts.flatten.flatten.toSet)
    }

  private def leftOut(
      state: State,
      folder: Folder,
      listed: Set[FileId],
      names: Set[String],
      isFresh: Boolean): Option[Set[String]] = {
    val (old, added) = (folder.replaced.map(_.path).toSet, folder.added.map(_.path).toSet)
    val isListed = old.exists(names) || added.exists(names)
    state.phase match {
      case Phase.Done => if (!isFresh && folder.replaced.exists(listed)) None else Some(Set.empty)
      case _ if !isListed => Some(Set.empty)
      // Old files are all there until the mark; where one is not, another has changed the folder, and it will stay so.
      case Phase.Moving => Some(added)
      case Phase.Cleaning if !state.moved(folder.path) => Some(added)
      case Phase.Cleaning => if (isFresh || added.forall(names)) Some(old) else None
    }
  }
}
