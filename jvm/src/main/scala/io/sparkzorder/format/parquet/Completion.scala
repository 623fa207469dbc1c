package io.sparkzorder.format.parquet

import io.sparkzorder.format.parquet.JournalEntry.{Added, Folder}
import io.sparkzorder.format.parquet.Journal.{Phase, State}
import io.sparkzorder.skipping.ListedFile

import org.apache.hadoop.fs.{FileStatus, Path}

import org.apache.spark.internal.Logging

/**
 * Carries out what the journal says: after the decision, and again after a crash, as often as it takes.
 *
 * Each step can be repeated, also by two processes at once. In a folder of which another has changed a file before the
 * new ones were in their places, nothing is replaced: what was moved there is taken back.
 */
private[parquet] final class Completion(folder: TableFolder, journal: Journal) extends Logging {

  /** Finishes all that is pending. The caller holds the table's lock. */
  def recover(): Unit = {
    journal.pending().foreach { state =>
      logWarning(s"${folder.root}: finishing the rewrite ${state.entry.id}, which was ended in the middle")
      run(state)
    }
    // Of runs that were ended before they decided anything.
    folder.fs.delete(folder.staging, true)
  }

  /**
   * Finishes one rewrite.
   *
   * @return
   *   the folders in which it took place
   */
  def run(state: State): Seq[Folder] = {
    val entry = state.entry
    check(entry)
    val done =
      if (state.phase == Phase.Cleaning) entry.folders.filter(f => state.moved(f.path))
      else {
        val (moved, left) = entry.folders.partition(move)
        // Before the mark: whoever comes later must not take them for rows of somebody else.
        left.foreach(takeBack)
        journal.markMoved(entry.id, moved)
        moved
      }
    done.foreach(_.replaced.filter(isThere).foreach(f => folder.fs.delete(folder.resolve(f.path), false)))
    folder.fs.delete(staged(entry), true)
    journal.close(entry, done)
    done
  }

  /** A journal is a file that anybody may have written: all of its paths must be where they claim, before any is used. */
  private def check(entry: JournalEntry): Unit =
    entry.folders.foreach { f =>
      f.replaced.foreach(file => folder.resolve(file.path))
      f.added.foreach { file =>
        folder.resolve(file.staged)
        folder.resolve(file.path)
      }
    }

  def staged(entry: JournalEntry): Path = new Path(folder.staging, entry.id)

  /** Moves the new files of a folder in. Not where an old one is no longer what it was: its rows are no longer ours. */
  private def move(f: Folder): Boolean =
    f.replaced.forall(isThere) && f.added.forall(moveIn) && f.replaced.forall(isThere)

  private def moveIn(file: Added): Boolean = {
    val (from, to) = (folder.resolve(file.staged), folder.resolve(file.path))
    hasSize(folder.status(to), file) ||
    (hasSize(folder.status(from), file) && folder.fs.rename(from, to)) ||
    // By another process that does the same.
    hasSize(folder.status(to), file)
  }

  private def takeBack(f: Folder): Unit = {
    logWarning(s"${folder.root}: files in '${f.path}' were changed meanwhile; the folder stays as others left it")
    f.added.map(file => folder.resolve(file.path) -> file).foreach { case (path, file) =>
      if (hasSize(folder.status(path), file)) folder.fs.delete(path, false)
    }
  }

  private def hasSize(status: Option[FileStatus], file: Added): Boolean = status.exists(_.getLen == file.bytes)

  /** Whether a file is the one that was read. */
  def isThere(file: ListedFile): Boolean = folder
    .status(folder.resolve(file.path))
    .exists(s => s.getLen == file.bytes && s.getModificationTime == file.modificationTime)
}
