// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.IOException

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * Executes the entries of the log, for a rewrite of this process or an interrupted one.
 *
 * Any process may repeat each step at any later time: a process may be paused before any call for any length of time
 * while concurrent processes finish the rewrite, and many more. Nothing is deleted before the verdict.
 *
 * @param lookAgainMillis
 *   time after which new files are looked for again before further old ones are deleted, in milliseconds
 * @param isRefused
 *   whether files, by their paths in the table, are those of another table by now. It is asked when the entry is there: of
 *   two that write entries for the same files into different logs, one at least finds that of the other. It is asked again
 *   before the verdict and, with the look at the new files, before old ones are deleted: somebody may convert the table. On
 *   a store it is asked once.
 */
private[parquet] final class RewriteExecutor(
    folder: TableFolder,
    log: RewriteLog,
    lookAgainMillis: Long = 1000L,
    isRefused: Seq[String] => Boolean = _ => false)
    extends Logging {
  import RewriteExecutor._

  private val kept = new KeptFiles(folder)

  /** @return the outcome; None where another process has finished the rewrite so long ago that it is forgotten */
  def execute(rewrite: LoggedRewrite): Option[Outcome] =
    try executed(rewrite)
    finally folder.releaseAll()

  private def executed(rewrite: LoggedRewrite): Option[Outcome] = {
    val entry = rewrite.entry
    requireWithinTable(entry)
    requireOpen(entry)
    // New files of a rewrite that cannot get its verdict here would be seen beside old ones.
    if (rewrite.moved.isEmpty) log.requireWritable()
    var movedAfterVerdict = Seq.empty[FolderChange]
    // Checks all old files once more when all new ones have been moved in: as late as possible.
    def ready = {
      // No new file is there without its entry.
      folder.syncNames(Set(folder.root, folder.own, folder.rewriteLog))
      val others = if (isRefused(entry.paths)) Nil else entry.folders
      val onDisk = folder.synced(others.flatMap(_.added).filter(_.upload.isEmpty).map(a => folder.resolve(a.staged)))
      val moved = others.filter(moveIn(_, onDisk))
      folder.syncNames(moved.flatMap(_.added).map(a => folder.resolve(a.path).getParent).toSet)
      val due = if (areAnothersByNow(moved)) Nil else moved.filter(areUnchanged)
      movedAfterVerdict = foldersMovedAfterVerdict(entry, entry.folders.filterNot(due.toSet))
      (movedAfterVerdict ++ due).map(_.path).toSet
    }
    val looked = System.currentTimeMillis()
    rewrite.moved.map(_ -> false).orElse(log.giveVerdict(entry, ready)).map { case (moved, isOurs) =>
      // No old file goes whose verdict may be lost, also where another process gave it.
      folder.syncNames(Set(folder.rewriteLog))
      val (movedFolders, left) = entry.folders.partition(f => moved(f.path))
      left.foreach(f =>
        logWarning(s"${folder.root}: files in '${f.path}' were changed; the folder keeps its old files"))
      // Since another's verdict somebody may have deleted new files and restored old ones.
      val complete = movedFolders.filter(f => (isOurs && !movedAfterVerdict.contains(f)) || staysComplete(rewrite)(f))
      // Also those of a rewrite whose files another process has moved in.
      complete.foreach(hold)
      val asTheyAre = if (rewrite.isCopied) complete.map(ofCopies) else complete
      // Where nothing is left to be kept, another process has begun, and may have deleted it all since.
      if (entry.keepsReplaced && complete.exists(_.replaced.exists(f => bytesOf(f.path).isDefined)))
        kept.begin(entry, asTheyAre)
      val back = left.map(clearNew(entry))
      // Before any old file goes: a log that is brought back from before the verdict is known by this folder. Also attempts
      // of tasks that were lost have started uploads.
      val uploads = entry.folders.flatMap(_.added).filter(_.upload.nonEmpty).map(_.staged).toSet
      folder.removeRun(staged(entry), uploads, Some(LeftoverFiles(entry.id, entry.folders)))
      val incomplete = movedFolders.filterNot(complete.toSet).map(f => Cleared(f.path, Nil, areBothHeld(f)))
      val cleared = back ++ asTheyAre.map(clearOld(entry, looked)) ++ incomplete
      val (remaining, exchanged) = (cleared.flatMap(_.remaining), cleared.filter(_.isExchanged).map(_.path))
      exchanged.foreach(f =>
        logWarning(
          s"${folder.root}: '$f' was exchanged for another folder; its old and new files stay, and the rewrite is " +
            "open. Put the folder back before the next statement, which ends the rewrite: its rows are doubled otherwise"))
      requireOpen(entry)
      if (remaining.isEmpty && exchanged.isEmpty) log.close(entry)
      Outcome(moved -- exchanged, remaining, exchanged)
    }
  }

  /** Asked again where a look costs nothing: a store takes requests for each. */
  private def areAnothersByNow(folders: Seq[FolderChange]): Boolean =
    folders.nonEmpty && !folder.isStore && isRefused(folders.flatMap(_.paths))

  /** A log is written by anybody who may write to the table: all of its paths are looked at before any is used. */
  private def requireWithinTable(entry: LogEntry): Unit = {
    entry.paths.find(TableFolder.isOwn).foreach { path =>
      throw ZOrderErrors.partitionInOwnFolder(folder.root.toString, path)
    }
    if (entry.id.isEmpty || entry.id.contains("/") || entry.id.startsWith("."))
      throw ZOrderErrors.pathOutsideTable(entry.id, folder.staging.toString)
    entry.folders.foreach { f =>
      f.replaced.foreach(file => folder.resolve(file.path))
      f.added.foreach { file =>
        // Who may write an entry, as in a folder for everybody, must not have a file moved out of a folder closed to them.
        if (!file.staged.startsWith(s"${TableFolder.Name}/staging/${entry.id}/"))
          throw ZOrderErrors.pathOutsideTable(file.staged, staged(entry).toString)
        folder.resolve(file.staged)
        folder.resolve(file.path)
      }
    }
  }

  /** To who may not look, files would seem to be gone. */
  private def requireOpen(entry: LogEntry): Unit = {
    folder.requireOpen(staged(entry))
    entry.paths.map(ListedFile.folderOf).distinct.filter(_.nonEmpty).foreach(f => folder.requireOpen(folder.resolve(f)))
  }

  private def staged(entry: LogEntry): Path = new Path(folder.staging, entry.id)

  /** Moves the new files of a folder in. Not where an old one has changed: its rows are a concurrent writer's now. */
  private def moveIn(f: FolderChange, onDisk: Set[Path]): Boolean = areUnchanged(f) && {
    val (uploaded, moved) = f.added.partition(_.upload.nonEmpty)
    moved.forall(moveIn(f, _, onDisk)) && complete(uploaded)
  }

  /**
   * The folders whose files are of a time after the verdict. The log may have been brought back while this process slept,
   * so that it is read again: folders whose old files have changed are few.
   */
  private def foldersMovedAfterVerdict(entry: LogEntry, changed: Seq[FolderChange]): Seq[FolderChange] = {
    val now = if (changed.isEmpty) None else log.written().withoutVerdict.find(_.entry.link == entry.link)
    changed.filter(f => now.exists(_.isAfterVerdict(f, bytesOf)))
  }

  /**
   * Old files that were copied with the log may have other times than in the entry; their names and sizes identify
   * them.
   */
  private def ofCopies(f: FolderChange): FolderChange = {
    val copies = f.replaced.flatMap { file =>
      val now = folder.status(folder.resolve(file.path)).filter(_.getLen == file.bytes)
      now.map(status => file.copy(modificationTime = status.getModificationTime))
    }
    f.copy(replaced = copies, identities = Map.empty)
  }

  private def areUnchanged(f: FolderChange): Boolean = folder.areUnchanged(f.replacedWithIdentities)

  /**
   * Deletes the old files of a folder, or keeps them elsewhere; answers which are left. They go as long as readers leave
   * them out: while the rewrite is open and all new files are there. This process may have been paused since it saw
   * those, and somebody may have deleted them. Other files of their names stay.
   *
   * @param looked
   *   time before the new files were looked for, in milliseconds since 1970
   */
  private def takeAway(entry: LogEntry, looked: Long)(f: FolderChange): Seq[ListedFile] = {
    var (last, wasDue, isAnothers) = (looked, true, false)
    def isDue: Boolean = {
      last = System.currentTimeMillis()
      isAnothers = areAnothersByNow(Seq(f))
      wasDue = !isAnothers && isOpenAndComplete(entry, f)
      def why = if (isAnothers) "they are another table's" else "new ones are gone, or the log has no verdict"
      if (!wasDue) logWarning(s"${folder.root}: old files of '${f.path}' that are there stay: $why")
      wasDue
    }
    // Clocks may be set back.
    def isStillDue = if (math.abs(System.currentTimeMillis() - last) >= lookAgainMillis) isDue else wasDue
    val left =
      if (!entry.keepsReplaced) folder.removeAllUnchanged(f.replacedWithIdentities, isStillDue)
      else
        f.replaced.filterNot { file =>
          folder.moveUnchanged(file, f.identity(file), isStillDue, kept.path(entry, file.path))
        }
    lazy val now = log.written().rewrites.find(_.entry.link == entry.link)
    // The rewrite stays open: for readers of this table the new files count, and in a log of before the verdict nothing is decided.
    if (isAnothers || (!wasDue && now.exists(_.moved.isEmpty))) f.replaced.filter(file => bytesOf(file.path).isDefined)
    // Nobody has finished it where the very files are there: somebody has deleted the log, or a part of it.
    else if (!wasDue && now.isEmpty)
      f.replaced.filter(file => f.identity(file).exists(id => folder.sameFile(file, Some(id)).isDefined))
    else left
  }

  private def clearOld(entry: LogEntry, looked: Long)(f: FolderChange): Cleared = {
    // There may have been no room for it before.
    hold(f)
    val left = takeAway(entry, looked)(f).map(_.path)
    try Cleared(f.path, left, areBothHeld(f, left.toSet))
    finally folder.release(f.path)
  }

  private def clearNew(entry: LogEntry)(f: FolderChange): Cleared = {
    // Where old files are gone, new ones may have the only copies of their rows: a log in which the rewrite is open may have
    // been brought back from before it was finished. On a store, where a move is a copy, others delete them more often.
    lazy val isSafe = folder.isStore || f.replaced.forall(file => bytesOf(file.path).contains(file.bytes))
    def setAside(file: Added) =
      folder.status(folder.resolve(file.path)).filter(s => hasSize(Some(s), file)).forall { found =>
        val to = new Path(
          DamagedLog.placeOf(folder, entry.number, entry.id),
          new Path(null, null, KeptName.nameFor(file.path)))
        val of = ListedFile(file.path, found.getLen, found.getModificationTime)
        logWarning(
          s"'${file.path}' goes to $to: files that it was to replace are gone. Delete it if their rows were to go")
        folder.moveUnchanged(of, folder.identities(Seq(file.path)).get(file.path), isDue = true, to)
      }
    val left = f.added.filterNot(file => isShut(file) && (if (isSafe) isGone(file) else setAside(file)))
    try Cleared(f.path, left.map(whereLeft), f.added.filterNot(left.toSet).exists(isInHeldFolder))
    finally folder.release(f.path)
  }

  /**
   * Whether the folder into which the new files went has all of them, and old ones beside them that seem to be gone: so it is
   * while somebody has exchanged it for another one.
   *
   * @param left
   *   old files that are known to be there
   */
  private def areBothHeld(f: FolderChange, left: Set[String] = Set.empty): Boolean =
    f.added.nonEmpty && f.added.forall(isInHeldFolder) && f.replacedWithIdentities.exists {
      case (file, identity) => !left(file.path) && folder.isInHeldFolder(file, identity)
    }

  private def hold(f: FolderChange): Unit = f.added.headOption.foreach(hold)

  private def hold(file: Added): Unit = folder.hold(file.path, file.bytes)

  private def isInHeldFolder(file: Added): Boolean = folder.isInHeldFolder(file.path, file.bytes)

  private def bytesOf(path: String): Option[Long] = folder.status(folder.resolve(path)).map(_.getLen)

  private def isOpenAndComplete(entry: LogEntry, f: FolderChange): Boolean = {
    val (there, state) = newFiles(f)
    // The log may have been brought back from before the verdict; then others may take the new files back.
    def isMoved(r: LoggedRewrite) = r.moved.exists(_(f.path))
    state.open.find(_.entry.link == entry.link).exists(r => isMoved(r) && state.isComplete(r, there)(f))
  }

  /**
   * The new files of a folder that are there, and of later rewrites those that took their place; then the log: whoever
   * replaces a file has written an entry before.
   */
  private def newFiles(f: FolderChange): (String => Option[Long], LogState) = {
    // A call to a store answers for one file, or for a thousand.
    def there(paths: Set[String]): Map[String, Long] =
      if (folder.isStore && paths.size > AskedOneByOne) {
        val of = paths.map(path => folder.resolve(path) -> path).toMap
        folder.statuses(of.keys.toSeq).map { case (path, status) => of(path) -> status.getLen }
      } else paths.flatMap(path => bytesOf(path).map(path -> _)).toMap
    @scala.annotation.tailrec
    def attempt(paths: Set[String]): (String => Option[Long], LogState) = {
      val found = there(paths)
      val state = log.written()
      val later = state.rewrites.flatMap(_.movedFolders).filter(_.replaced.exists(file => paths(file.path)))
      val all = paths ++ later.flatMap(_.added.map(_.path))
      // What took the place of new files is to be looked for, too.
      if (all.size == paths.size || f.added.forall(_.isIn(found.get))) (found.get, state) else attempt(all)
    }
    attempt(f.added.map(_.path).toSet)
  }

  /** Old files of a folder whose new ones are gone may be all that there is: they stay, and count. */
  private def staysComplete(rewrite: LoggedRewrite)(f: FolderChange): Boolean = {
    val (there, state) = newFiles(f)
    val is = state.isComplete(rewrite, there)(f)
    if (!is)
      logWarning(
        s"${folder.root}: new files of '${f.path}' are gone that OPTIMIZE had moved in; old ones that are there stay")
    is
  }

  /**
   * Never over another file: names of new files are unlike any other, where the entry is one of ours.
   *
   * @param onDisk
   *   staged files that are there also when the machine has lost its power: old ones go for them
   */
  private def moveIn(f: FolderChange, file: Added, onDisk: Set[Path]): Boolean = {
    val (from, to) = (folder.resolve(file.staged), folder.resolve(file.path))
    val there = folder.status(to)
    def isStaged = onDisk(from) && hasSize(folder.status(from), file)
    // Who may add files to the folder may have made one of this name, which the entry shows. A store moves by copies.
    def isMoved = hasSize(folder.status(to), file) && (folder.isStore || folder.status(from).isEmpty)
    // Where the call fails, another process may just have moved the file.
    val isIn =
      (there.isDefined && isMoved) || (there.isEmpty && isStaged && rename(from, to, beside(f, file))) || isMoved
    if (isIn) hold(file)
    isIn
  }

  /**
   * Completes uploads. Whatever the calls answer, what is there afterwards counts: another process may have completed an
   * upload, and a store may answer that one was completed when somebody has deleted the file since.
   */
  private def complete(files: Seq[Added]): Boolean = files.isEmpty || {
    val of = files.map(file => folder.resolve(file.path) -> file)
    of.map { case (to, file) => folder.complete(to, file.upload.get) }.foreach(_.get)
    val there = folder.statuses(of.map(_._1))
    of.forall { case (to, file) => hasSize(there.get(to), file) }
  }

  /** The files in its folder whose rows a new file has; each is looked at only if one before it is gone. */
  private def beside(f: FolderChange, file: Added): Iterable[(Path, String)] = f.replacedWithIdentities.view.collect {
    case (old, Some(known)) if ListedFile.folderOf(old.path) == ListedFile.folderOf(file.path) =>
      folder.resolve(old.path) -> known
  }

  private def rename(from: Path, to: Path, others: Iterable[(Path, String)]): Boolean =
    try folder.renameBeside(from, to, others)
    catch {
      case e: IOException =>
        logWarning(s"Could not move $from to $to", e)
        false
    }

  /** Deletes a new file where it is staged or uploaded: after that no process can move it in any more. */
  private def isShut(file: Added): Boolean = file.upload match {
    case Some(upload) => folder.abort(folder.resolve(file.path), upload)
    case None => folder.removeIf(folder.resolve(file.staged))(hasSize(_, file))
  }

  private def isGone(file: Added): Boolean = folder.removeIf(folder.resolve(file.path))(hasSize(_, file))

  /** Where a file is that could not be taken back. */
  private def whereLeft(file: Added): String =
    if (file.upload.isEmpty && hasSize(folder.status(folder.resolve(file.staged)), file)) file.staged else file.path

  private def hasSize(status: Option[FileStatus], file: Added): Boolean =
    status.exists(s => s.isFile && s.getLen == file.bytes)
}

private[parquet] object RewriteExecutor {

  private val AskedOneByOne = 100

  /**
   * @param moved
   *   the folders that have their new files, without those of `exchanged`
   * @param remaining
   *   files that could not be deleted: old ones, and new ones of folders that keep their old ones; readers with the extension
   *   leave them out
   * @param exchanged
   *   folders that others have taken the places of meanwhile: their old files could not be deleted, or their new ones not be
   *   taken back. The rewrite stays open
   */
  final case class Outcome(moved: Set[String], remaining: Seq[String], exchanged: Seq[String])

  /** What has become of the files of a folder that had to go; see [[Outcome]]. */
  private final case class Cleared(path: String, remaining: Seq[String], isExchanged: Boolean)
}
