package io.sparkzorder.format.parquet

import io.sparkzorder.format.parquet.Journal.{Phase, State}
import io.sparkzorder.format.parquet.JournalEntry.Folder
import io.sparkzorder.skipping.ListedFile

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
   * @param isMissed
   *   whether a file that was not listed is there, and should have been listed. File systems make a list in steps: old
   *   files may be gone before they are looked at, when the new ones were not yet there to be seen.
   * @return
   *   the paths to leave out; None where the list is older than a rewrite, and the table has to be listed again
   */
  def leftOut(
      states: Seq[State],
      listed: Set[ListedFile],
      isFresh: Boolean = false,
      isMissed: String => Boolean = _ => false): Option[Set[String]] = {
    val names = listed.map(_.path)
    if (states.isEmpty) Some(Set.empty)
    // All of them are asked for, not the first only: who asks may remember them.
    else if (!isFresh && movedIn(states).filterNot(names).filter(isMissed).nonEmpty) None
    else {
      val parts =
        for (state <- states; folder <- state.entry.folders) yield leftOut(state, folder, listed, names, isFresh)
      if (parts.exists(_.isEmpty)) None else Some(parts.flatten.flatten.toSet)
    }
  }

  /** New files that are in their places, and have not been replaced by later ones. */
  private def movedIn(states: Seq[State]): Seq[String] = {
    val folders = states.filter(_.phase != Phase.Moving).flatMap(s => s.entry.folders.filter(f => s.moved(f.path)))
    val replaced = folders.flatMap(_.replaced.map(_.path)).toSet
    folders.flatMap(_.added.map(_.path)).filterNot(replaced)
  }

  private def leftOut(
      state: State,
      folder: Folder,
      listed: Set[ListedFile],
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
