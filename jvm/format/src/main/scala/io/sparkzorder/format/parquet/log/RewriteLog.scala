// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.util.control.NonFatal

import io.sparkzorder.errors.{ZOrderErrors, ZOrderRuntimeException}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * The log of a Parquet table's rewrites: numbered entries and their verdicts, both created exclusively. [[EntryChain]]
 * says which entries count.
 *
 * @param remembered
 *   number of the last entries that are never forgotten, 2 or more
 */
private[parquet] final class RewriteLog(folder: TableFolder, listsInSteps: Boolean, remembered: Int) extends Logging {
  import RewriteLog._

  def this(folder: TableFolder) =
    this(folder, listsInSteps = folder.scheme == "file", remembered = RewriteLog.Remembered)

  private val files = new LogFiles(folder, listsInSteps)
  private lazy val creation = ExclusiveCreation.of(folder)

  /** What says of a rewrite what is to be done. */
  def documentsOf(entry: LogEntry): Seq[Path] = files.documentsOf(entry)

  /** @throws ZOrderRuntimeException where the file system has no way to create a file exclusively */
  def requireWritable(): Unit = creation: Unit

  /**
   * What the log says now: a listing, a read of each verdict, and one of each entry not seen before. A log that is not to
   * be trusted says nothing, nor does an open rewrite of somebody who may not do to its files what it says.
   *
   * @throws ZOrderRuntimeException where an entry or a verdict cannot be read, or this user may not read the log
   */
  def read(): LogState = if (!folder.isTrusted) LogState.empty
  else {
    val state = written()
    // What is closed has nothing to do any more.
    def isOut(r: LoggedRewrite) = !r.isClosed && (!folder.areOfTrusted(files.documentsOf(r.entry)) ||
      (folder.isOfMany && !folder.isTrusted(r.entry.paths, files.pathsOf(r.entry))))
    if (state.open.isEmpty) state else state.copy(rewrites = state.rewrites.filterNot(isOut))
  }

  /**
   * Before what is kept is closed to some: they may have written it until then.
   *
   * @throws ZOrderRuntimeException where an open rewrite does not count; not where the log cannot be read
   */
  def requireTrusted(): Unit =
    if (folder.isOfMany)
      try readTrusted(): Unit
      catch { case e: ZOrderRuntimeException if e.getCondition == "ZORDER_UNREADABLE_LOG" => () }

  /**
   * As [[read]], for who carries out what it says.
   *
   * @throws ZOrderRuntimeException where an open rewrite does not count
   */
  def readTrusted(): LogState = {
    folder.requireTrusted()
    val state = written()
    state.open.foreach(r => folder.requireOfTrusted(files.documentsOf(r.entry)))
    if (folder.isOfMany) state.open.foreach(r => folder.requireTrusted(r.entry.paths, files.pathsOf(r.entry)))
    state
  }

  /**
   * All that is written there, whoever wrote it: for who goes on with what was begun when it could be trusted. Rights may
   * change at any time, and an entry that does not count any more must not seem to be closed or forgotten.
   *
   * @throws ZOrderRuntimeException as [[read]]
   */
  def written(): LogState = {
    val state = folder.permitted(readNow())
    // Files that it names would seem to be gone, and such a rewrite to be over.
    state.open.foreach(r => folder.requireSameNames(r.entry.paths))
    state
  }

  /** @param counts whether entries of a number count */
  private def readNow(counts: Long => Boolean = _ => true): LogState = {
    def once() = files.listed().fold(Option(LogState.empty)) { case (log, all) =>
      val listed = all.filter(f => LogFiles.number(f._1).exists(counts))
      state(log, listed, isWhole = listed.size == all.size)
    }
    // There is no state where entries were forgotten since they were listed.
    Iterator.continually(once()).take(Attempts).flatten.nextOption().getOrElse(throw changesAllTheTime())
  }

  private def changesAllTheTime() =
    ZOrderErrors.unreadableLog(folder.rewriteLog.toString, "it changes all the time", null)

  /**
   * What `list` finds while no verdict comes, and the state of the log after it.
   *
   * @param since
   *   what the log said before, where it was asked
   * @throws ZOrderRuntimeException
   *   as [[read]], and where rewrites end all the time
   */
  def whileStable[T](since: Option[LogState] = None)(list: => T): (T, LogState) = {
    @scala.annotation.tailrec
    def attempt(before: LogState, left: Int): (T, LogState) = {
      val listed = list
      val after = read()
      if (before.fingerprint == after.fingerprint) (listed, after)
      else if (left == 0) throw ZOrderErrors.listingOvertaken(folder.root.toString)
      else attempt(after, left - 1)
    }
    attempt(since.getOrElse(read()), Listings)
  }

  /** The id of the log; None where there is none. */
  def id(): Option[String] = files.log()

  /** The entry that counts last of those before a number: an entry of that number links to it. */
  def lastBefore(number: Long): Option[LogEntry.Link] = readNow(_ < number).last

  private def state(log: String, listed: Map[String, FileStatus], isWhole: Boolean): Option[LogState] = {
    val entries = listed.flatMap { case (name, file) => LogFiles.numberOfEntry(name).map(_ -> file) }
    EntryChain.of(entries, files, entry => isWhole && !listed.contains(LogFiles.closedName(entry))) match {
      case EntryChain.Counted(chain) =>
        val rewrites = chain.map(rewrite(_, listed))
        val highest = listed.keys.flatMap(LogFiles.number).maxOption.getOrElse(0L)
        if (rewrites.exists(_.isEmpty)) None else Some(LogState(Some(log), rewrites.flatten, highest))
      case _ => None
    }
  }

  /** None where the entry or its verdict has gone since it was listed. */
  private def rewrite(entry: LogEntry, listed: Map[String, FileStatus]): Option[LoggedRewrite] = {
    val isClosed = listed.contains(LogFiles.closedName(entry))
    def isCopied = !isClosed && files.isCopyOfThatOf(entry)
    listed.get(LogFiles.verdictName(entry)) match {
      // A process that deletes the log with the table may have been interrupted.
      case None if isClosed => Some(LoggedRewrite(entry, Some(Set.empty), isClosed))
      case None => Some(LoggedRewrite(entry, None, isClosed, isCopied || files.isBroughtBack(entry)))
      case Some(verdict) =>
        files.verdict(verdict).flatMap { moved =>
          // An entry is deleted before its verdict: a verdict without one may be that of a process that came too late.
          if (isClosed || files.holds(entry)) Some(LoggedRewrite(entry, Some(moved), isClosed, isCopied))
          else None
        }
    }
  }

  /**
   * Writes the entry of a rewrite under the next free number. From here on any process may carry it out.
   *
   * @param id
   *   id of the rewrite, for which this has never been called before
   * @param since
   *   the state before the files to replace were listed
   * @param keptUntil
   *   see [[LogEntry]]
   * @return
   *   the entry, without folders for which another rewrite has written one since; None where no folder is left
   * @throws ZOrderRuntimeException
   *   where this process was paused while the number was used and forgotten, or the rewrite was finished and forgotten; as
   *   [[readTrusted]]
   */
  def claim(
      id: String,
      folders: Seq[FolderChange],
      since: LogState,
      keptUntil: Long = LogEntry.NotKept): Option[LogEntry] = {
    folder.makeForNew(folder.rewriteLog)
    // Where there was none a store need not be asked: what is there by now stays.
    if ((folder.isStore && since.log.isEmpty) || files.log().isEmpty) {
      files.requireNoneOpenWithoutId()
      creation.create(files.idPath, UUID.randomUUID.toString.getBytes(UTF_8))
    }
    @scala.annotation.tailrec
    def attempt(left: Int): Option[LogEntry] = {
      val now = readTrusted()
      val free = folders.filterNot(since.isTaken(now))
      def entry(log: String) =
        LogEntry(log, now.highest + 1, id, now.last, free, keptUntil, files.idFile, files.staging(id))
      if (free.isEmpty) None
      else
        now.log.map(entry) match {
          case Some(e) if creation.create(files.entryPath(e), LogFiles.text(e)) => Some(confirmed(e))
          case Some(_) if left > 0 => attempt(left - 1)
          case Some(_) => throw changesAllTheTime()
          // The log is gone with the table.
          case None => throw ZOrderErrors.rewriteOvertaken(folder.root.toString)
        }
    }
    attempt(Attempts)
  }

  /**
   * The entry, if it counts and is new: not one that was forgotten and, by a repeated call of a store's client, is
   * there again. Where not, it must not be written again: its files may be those of the table by now.
   */
  private def confirmed(entry: LogEntry): LogEntry = {
    val later = written().rewrites.dropWhile(_.entry.link != entry.link)
    if (later.nonEmpty && later.size <= remembered) entry
    else {
      // An entry that counts stays, for another process to finish.
      if (later.isEmpty && files.holds(entry)) folder.remove(files.entryPath(entry))
      throw ZOrderErrors.rewriteOvertaken(folder.root.toString)
    }
  }

  /**
   * Gives the verdict on an entry, or finds out what it is.
   *
   * @param moved
   *   the folders that have their new files and of which the old ones are as they were
   * @return
   *   the verdict that counts, and whether it is of this call; None where the entry is forgotten, and so all of it is done
   */
  def giveVerdict(entry: LogEntry, moved: Set[String]): Option[(Set[String], Boolean)] = {
    val path = files.verdictPath(entry)
    // The folder of the log may be gone with the table. A store has none: there the verdict goes again without its entry.
    val isThere = folder.isStore || folder.isThere(folder.rewriteLog)
    val isOurs = isThere && creation.create(path, LogFiles.text(moved))
    val verdict = (if (isOurs) Some(moved) else files.verdict(entry)).map(_ -> isOurs)
    // An entry is deleted before its verdict: where it is still there, no verdict on it was ever forgotten.
    if (files.holds(entry)) verdict
    else {
      folder.remove(path)
      None
    }
  }

  /** Records that no file is left to delete, and forgets the oldest entries. */
  def close(entry: LogEntry): Unit =
    // Any later statement can do what is left to do here.
    try {
      // One of whose verdict nothing is there any more has been brought back from before it. A request more to a store.
      def isBroughtBack = !folder.isStore && files.verdict(entry).isEmpty
      if (files.holds(entry) && !isBroughtBack) {
        folder.write(files.closedPath(entry), Array.emptyByteArray)
        if (isBroughtBack && files.holds(entry)) folder.remove(files.closedPath(entry))
      }
      // Before the state that tells which are old: what has been brought back since stays.
      val before =
        if (folder.isStore) None else Some(identified(files.log().fold(Set.empty[String])(files.list(_).keySet)))
      val now = written()
      now.log.foreach(log => forget(before.getOrElse(files.list(log).keySet.map(_ -> None).toMap), now.rewrites))
    } catch { case NonFatal(e) => logWarning(s"Could not clean up the log ${folder.rewriteLog}", e) }

  private def identified(names: Iterable[String]): Map[String, Option[String]] = {
    val paths = names.map(name => name -> folder.relative(inLog(name)).get).toMap
    val identities = folder.identities(paths.values.toSeq)
    paths.map { case (name, path) => name -> identities.get(path) }
  }

  private def inLog(name: String) = new Path(folder.rewriteLog, name)

  /**
   * Entries are deleted in the order of their numbers, each before its verdict; an open one keeps all later ones, and one that
   * was brought back what belongs to it.
   *
   * @param listed
   *   names of files, with their identities where a file may have been brought back since
   */
  private def forget(listed: => Map[String, Option[String]], rewrites: Seq[LoggedRewrite]): Unit = {
    lazy val known = listed
    def isVery(name: String) = known.get(name).exists(identity => identified(Seq(name)).values.forall(_ == identity))
    def isForgotten(path: Path): Boolean =
      if (folder.isStore) {
        folder.remove(path)
        true
      } else if (!known.contains(path.getName)) folder.status(path).isEmpty
      else isVery(path.getName) && folder.removeIf(path, known(path.getName))(_.isDefined)
    // The log may have been brought back from a time at which they were open, without a change of their own files.
    def isStillClosed(entry: LogEntry) = folder.isStore ||
      (folder.status(files.closedPath(entry)).isDefined && isVery(LogFiles.closedName(entry)))
    val old = rewrites.dropRight(remembered).takeWhile(_.isClosed).map(_.entry).takeWhile(isStillClosed)
    val areAllGone = old.forall { entry =>
      Seq(files.entryPath(entry), files.verdictPath(entry), files.closedPath(entry)).forall { path =>
        isStillClosed(entry) && isForgotten(path)
      }
    }
    // What entries that were forgotten, or never counted, have left.
    val first = rewrites.drop(old.size).headOption.fold(0L)(_.entry.number)
    // Numbers begin with 1.
    if (areAllGone && first > 1)
      for (name <- known.keys; number <- LogFiles.number(name) if number < first) isForgotten(inLog(name))
  }
}

private[parquet] object RewriteLog {

  // Readers find out by them that a listing out of a cache is old.
  val Remembered = 8

  // Attempts while concurrent statements write entries.
  private val Attempts = 20

  // Attempts to list files: a rewrite that ends concurrently makes a list void.
  private val Listings = 10
}
