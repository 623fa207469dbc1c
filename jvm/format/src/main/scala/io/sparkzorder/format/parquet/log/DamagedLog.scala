// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import io.sparkzorder.errors.{ZOrderErrors, ZOrderRuntimeException}
import io.sparkzorder.format.parquet.folder.{TableFolder, UntrustedFolder}
import io.sparkzorder.format.parquet.folder.access.OwnFiles
import io.sparkzorder.format.parquet.log.DamagedRewrite.{Document, Given, NotGiven, Unreadable, Verdict}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/**
 * What of a table's log cannot be read, and how it becomes readable again.
 *
 * As long as a document cannot be read, no other process gets past it: each ends with an error. So the table's files are
 * put in order first, and the document is written anew last, in its place, with nothing left to do in it.
 */
private[parquet] final class DamagedLog(folder: TableFolder, log: RewriteLog) extends Logging {
  import DamagedLog._

  private val files = new LogFiles(folder, listsInSteps = folder.scheme == "file")
  private lazy val creation = ExclusiveCreation.of(folder)

  private def unreadable[T](body: => T): Either[String, T] =
    try Right(body)
    catch {
      case e: ZOrderRuntimeException if e.getCondition == "ZORDER_UNREADABLE_LOG" =>
        Left(e.getMessageParameters.get("reason"))
    }

  // The id of the log

  /** The document with the id of the log, where it cannot be read, and the ids in the names of entries. */
  def damagedId(): Option[(Document, Seq[String])] =
    unreadable(files.log()) match {
      case Left(reason) => Some(Document(files.idPath.getName, reason) -> idsOfLogs)
      case Right(None) if idsOfLogs.nonEmpty => Some(Document(files.idPath.getName, "it is gone") -> idsOfLogs)
      case _ => None
    }

  private def idsOfLogs: Seq[String] =
    folder.list(folder.rewriteLog).flatMap(s => LogFiles.logOf(s.getPath.getName)).distinct

  /**
   * Writes the id of the log anew; where there is no entry, the next rewrite begins a log.
   *
   * @throws ZOrderRuntimeException
   *   where another log has begun since; elsewhere than on a local disk of Linux that is looked at right before
   */
  def mendId(document: Document, id: Option[String]): Unit = {
    val place = folder.relative(files.idPath).get
    val identity = if (folder.isStore) None else folder.identities(Seq(place)).get(place)
    keep(document, new Path(folder.setAside, "log"))
    // This process may have slept: what can be read is another's, or that of a log that has begun since.
    val isDamaged = unreadable(files.log()).isLeft
    def write(id: Array[Byte]) =
      if (isDamaged) folder.writeOver(files.idPath, id, identity) else creation.create(files.idPath, id)
    id match {
      case Some(text) if !write(text.getBytes(UTF_8)) => throw ZOrderErrors.rewriteOvertaken(folder.root.toString)
      case None if isDamaged && !folder.removeIf(files.idPath, identity)(_.isDefined) =>
        throw ZOrderErrors.cannotDelete(folder.root.toString, Seq(files.idPath.toString))
      case _ =>
    }
  }

  // Rewrites

  /**
   * @param id
   *   the id of the log
   * @return
   *   in the order of their numbers
   */
  def rewrites(id: String): Seq[DamagedRewrite] = {
    val listed = files.list(id)
    val entries = listed.toSeq.flatMap { case (name, file) => LogFiles.numberOfEntry(name).map(_ -> file) }.sortBy(_._1)
    val read = entries.map { case (number, file) => (number, file, unreadable(files.entry(file))) }
    val whole = read.collect { case (_, _, Right(Some(entry))) => entry }
    read.flatMap {
      case (number, file, Left(reason)) => Some(withoutEntry(id, number, file, reason, listed, whole))
      case (_, _, Right(entry)) => entry.flatMap(withEntry(_, listed))
    }
  }

  private def withEntry(entry: LogEntry, listed: Map[String, FileStatus]): Option[DamagedRewrite] = {
    val name = LogFiles.verdictName(entry)
    if (!listed.contains(name)) None
    else
      unreadable(files.verdict(entry)).left.toOption.map { reason =>
        val isClosed = listed.contains(LogFiles.closedName(entry))
        val documents = Seq(Document(name, reason))
        DamagedRewrite(entry.log, entry.number, Seq(entry.id), Some(entry), Unreadable, isClosed, documents)
      }
  }

  private def withoutEntry(
      log: String,
      number: Long,
      file: FileStatus,
      reason: String,
      listed: Map[String, FileStatus],
      others: Seq[LogEntry]): DamagedRewrite = {
    val names = listed.keys.toSeq.filter(LogFiles.number(_).contains(number)).sorted
    val ids = idsOf(number, file, names, others)
    val empty = DamagedRewrite(log, number, ids, None, NotGiven, isClosed = false, Nil)
    val verdicts = ids.map(empty.emptyEntry(_, None)).filter(e => listed.contains(LogFiles.verdictName(e))).map { e =>
      (LogFiles.verdictName(e), unreadable(files.verdict(e).getOrElse(Set.empty[String])))
    }
    val found = verdict(verdicts.map(_._2))
    empty.copy(
      // A repair may have been interrupted that gave a verdict on some of several ids.
      ids = if (found == Unreadable) ids else (ids ++ stagedIds(others)).distinct,
      verdict = found,
      isClosed = ids.exists(id => listed.contains(LogFiles.closedName(empty.emptyEntry(id, None)))),
      documents = Document(file.getPath.getName, reason) +:
        verdicts.collect { case (name, Left(why)) => Document(name, why) }
    )
  }

  private def verdict(found: Seq[Either[String, Set[String]]]): Verdict = found.distinct match {
    case Seq() => NotGiven
    case Seq(Right(moved)) => Given(moved)
    case _ => Unreadable
  }

  /** By what is surest first: names of files and links of other entries, then what is left of the text. */
  private def idsOf(number: Long, file: FileStatus, names: Seq[String], others: Seq[LogEntry]): Seq[String] = {
    val next = others.filter(_.number > number).flatMap(_.previous).filter(_.number == number).map(_.id)
    def below(path: Path) = folder.list(path).map(_.getPath.getName)
    def kept(path: Path) = below(path).collect { case InFolder(n, id) if n == number.toString => id }
    val staged = stagedIds(others)
    val text = folder.read(file.getPath).map(new String(_, UTF_8)).toSeq
      .flatMap(InText.findAllMatchIn(_)).filter(_.group(1) == number.toString).map(_.group(2)).filter(staged.contains)
    // A statement that has not written an entry yet may have staged files, too. Those go with any recovery.
    Seq(next, names.flatMap(LogFiles.idOf), kept(folder.replaced), kept(folder.setAside), text, staged)
      .map(_.distinct.filter(OwnFiles.isId)).find(_.nonEmpty).getOrElse(Nil)
  }

  /** Ids of rewrites that have staged files and no entry that can be read. */
  private def stagedIds(others: Seq[LogEntry]): Seq[String] =
    folder.list(folder.staging).map(_.getPath.getName).filter(OwnFiles.isId).filterNot(others.map(_.id).toSet)

  /**
   * Gives the verdict on a rewrite that has none, as any process does that executes it: the first one counts, for all who
   * know the entry.
   */
  def giveVerdict(rewrite: DamagedRewrite, moved: Set[String]): Unit = rewrite.ids.foreach { id =>
    creation.create(files.verdictPath(rewrite.emptyEntry(id, None)), LogFiles.text(moved))
  }

  /**
   * Takes the staged files of a rewrite away: after that no process can move them in any more. Each by itself: a process may
   * sleep in a call that moves a file out of the folder, which it has opened, whatever the folder's name is by then.
   */
  def setStagedAside(rewrite: DamagedRewrite): Unit = rewrite.ids.foreach { id =>
    val staged = new Path(folder.staging, id)
    if (!folder.abortUploads(staged)) throw ZOrderErrors.cannotDelete(folder.root.toString, Seq(staged.toString))
    if (folder.status(staged).isDefined) {
      val free = Seq("_staging", s"_staging-${UUID.randomUUID}").map(new Path(placeOf(rewrite), _))
      val to = free.find(folder.status(_).isEmpty).get
      folder.makePrivate(to)
      moveAll(staged, to, top = to)
      // Also what a store has in place of a folder that was emptied.
      folder.removeAll(staged)
    }
  }

  private def moveAll(from: Path, to: Path, top: Path): Unit = {
    // What a link leads to is nobody's here.
    val (folders, found) =
      folder.list(from).filterNot(s => folder.relative(s.getPath).exists(folder.hasLink)).partition(_.isDirectory)
    if (found.nonEmpty) folder.makeBelow(top, to)
    def in(s: FileStatus) = new Path(to, new Path(null, null, s.getPath.getName))
    found.foreach(s => move(s.getPath, in(s)))
    folders.foreach(s => moveAll(s.getPath, in(s), top))
  }

  /**
   * Not out of a folder that somebody has moved there who may not take files out of it: nor would any process that has
   * staged files move them.
   *
   * @throws ZOrderRuntimeException
   *   where it stays otherwise; another process may have moved it
   */
  private def move(from: Path, to: Path): Unit = {
    val hasFailed =
      try !folder.renameAsClosed(from, to)
      catch {
        case e: UntrustedFolder =>
          logWarning(s"$from stays: ${e.getMessage}")
          false
        case _: IOException => true
      }
    if (hasFailed && folder.status(from).isDefined) throw ZOrderErrors.cannotMove(from.toString, to.toString)
  }

  /** Where files of a rewrite lie that are taken out of the table. */
  def placeOf(rewrite: DamagedRewrite): Path = DamagedLog.placeOf(folder, rewrite.number, rewrite.id)

  /** The documents by which it is known which files are those of a rewrite; later entries name earlier ones. */
  def documentsOf(rewrite: DamagedRewrite): Seq[Path] =
    folder.list(folder.rewriteLog).map(_.getPath).filter(p => LogFiles.number(p.getName).exists(_ >= rewrite.number))

  /** These, and all else that has its id, or the log's. */
  def placesOf(rewrite: DamagedRewrite): Seq[Path] = {
    def named(in: Path) = folder.list(in).map(_.getPath).filter(_.getName.startsWith(s"${rewrite.number}."))
    documentsOf(rewrite) ++ named(folder.replaced) ++ named(folder.setAside) ++
      rewrite.ids.map(new Path(folder.staging, _)) ++ Seq(files.idPath, folder.setAside)
  }

  /** Writes what cannot be read anew, and closes the rewrite, of which nothing is left to do. */
  def mend(rewrite: DamagedRewrite): Unit = {
    rewrite.documents.foreach(keep(_, new Path(placeOf(rewrite), "_log")))
    val entry = rewrite.emptyEntry(rewrite.id, rewrite.entry.fold(log.lastBefore(rewrite.number))(_.previous))
    def writeEntry() = folder.write(files.entryPath(entry), LogFiles.text(entry))
    // Closed from the moment on at which it can be read.
    folder.write(files.closedPath(entry), Array.emptyByteArray)
    // Who knows the old entry must find that it is held no more, before there is a verdict that can be read: it may be
    // another one than before, by which the only copies would go.
    if (rewrite.entry.isDefined) writeEntry()
    val hasDamagedVerdict = rewrite.documents.exists(_.name == LogFiles.verdictName(entry))
    // It names no folder that the entry has not, by which it is known to be the entry's and opened to who may read the table.
    def writeVerdict() = folder.write(files.verdictPath(entry), LogFiles.text(Set.empty[String]))
    if (hasDamagedVerdict) writeVerdict()
    if (rewrite.entry.isEmpty) writeEntry()
    if (!hasDamagedVerdict && folder.status(files.verdictPath(entry)).isDefined) writeVerdict()
  }

  private def keep(document: Document, in: Path): Unit = {
    val (from, to) = (new Path(folder.rewriteLog, document.name), new Path(in, document.name))
    folder.make(in)
    if (folder.status(to).isEmpty && folder.status(from).isDefined)
      try folder.copy(from, to)
      // Another repair may just have done it.
      catch { case _: IOException if folder.status(to).isDefined => () }
  }
}

private[parquet] object DamagedLog {

  /** Where files of a rewrite lie that are taken out of the table, and may have rows that are nowhere else. */
  private[log] def placeOf(folder: TableFolder, number: Long, id: String): Path =
    new Path(folder.setAside, s"$number.$id")

  private val InFolder = """(\d{1,18})\.(.+?)(?:\.json)?""".r

  private val InText = """"number":(\d{1,18}),"id":"([0-9a-f-]{36})"""".r
}
