// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util
import java.util.Collections

import scala.util.Try

import com.fasterxml.jackson.core.JacksonException
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.{Json, TableFolder}
import io.sparkzorder.format.parquet.folder.access.OwnFiles

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * The files of `_zorder/log`. `0.id` has the id of the log; all other names have it in them: `<number>.<log>.json` is
 * an entry, `<number>.<log>.<id>.verdict` its verdict. `<number>.<log>.<id>.closed`, of which only the name counts, is
 * a hint that nothing is left to do. So a process that was paused while the log was replaced by another never touches a
 * file of that one.
 *
 * @param listsInSteps
 *   whether a listing is of no one moment: Hadoop's local file system asks for names and then looks at each file
 */
private[log] final class LogFiles(folder: TableFolder, listsInSteps: Boolean) {
  import LogFiles._

  /** The id of the log; None where there is none. */
  def log(): Option[String] = folder.read(idPath).map(idIn)

  private def idIn(content: Array[Byte]): String = {
    val id = new String(content, UTF_8)
    if (!OwnFiles.isId(id))
      throw ZOrderErrors.unreadableLog(idPath.toString, "it does not hold the id of a log", null)
    id
  }

  /** The id of the log and all its files by their names; None where there is no log. */
  def listed(): Option[(String, Map[String, FileStatus])] =
    if (!folder.isStore || listsInSteps) log().map(id => id -> list(id))
    else {
      // Of one moment, where to ask for the id first is a request more.
      val files = folder.listIfThere(folder.rewriteLog).getOrElse(Nil)
      files.find(_.getPath.getName == Id).flatMap(folder.read).map(idIn).map(id => id -> of(id, files))
    }

  /** @throws ZOrderRuntimeException where there are entries that are not closed, of a log whose id has gone */
  def requireNoneOpenWithoutId(): Unit = {
    val names = folder.listIfThere(folder.rewriteLog).getOrElse(Nil).map(_.getPath.getName)
    val closed = names.filter(_.endsWith(".closed")).flatMap(number).toSet
    if (!names.contains(Id) && names.flatMap(numberOfEntry).exists(n => !closed(n)))
      throw ZOrderErrors.unreadableLog(idPath.toString, "it is gone, and a rewrite is open", null)
  }

  val idPath: Path = new Path(folder.rewriteLog, Id)

  /** See [[LogEntry]]; None where there is no log. A copy may be made of hard links, but never its folder. */
  def idFile: Option[String] =
    folder.origin(idPath).map(file => (file +: folder.origin(folder.rewriteLog).toSeq).mkString(" "))

  /**
   * Whether this log is a copy of that in which an entry was written. Older builds wrote down the file alone. It is none where
   * a repair has written the file anew: then the rewrite's staged files are in the very folder.
   */
  def isCopyOfThatOf(entry: LogEntry): Boolean =
    entry.idFile.exists(file => idFile.exists(!TableFolder.areOneFile(file, _))) && !hasItsStaging(entry)

  private def hasItsStaging(entry: LogEntry) =
    entry.staging.exists(before => staging(entry.id).exists(TableFolder.areOneFile(before, _)))

  /** See [[LogEntry]]; None also where one may not look. */
  def staging(id: String): Option[String] = Try(folder.origin(new Path(folder.staging, id))).toOption.flatten

  /** Whether an entry without a verdict was brought back from before it had one. */
  def isBroughtBack(entry: LogEntry): Boolean =
    entry.staging.nonEmpty && !hasItsStaging(entry)

  /** All files of a log, by their names. */
  def list(log: String): Map[String, FileStatus] = {
    def once() = of(log, folder.list(folder.rewriteLog))
    @scala.annotation.tailrec
    def stable(before: Map[String, FileStatus], left: Int): Map[String, FileStatus] = {
      val now = once()
      if (now.keySet == before.keySet) now
      else if (left == 0) throw ZOrderErrors.unreadableLog(folder.rewriteLog.toString, "it changes all the time", null)
      else stable(now, left - 1)
    }
    if (listsInSteps) stable(once(), StableListings) else once()
  }

  private def of(log: String, files: Seq[FileStatus]): Map[String, FileStatus] =
    files.map(s => s.getPath.getName -> s).filter(_._1.split('.').lift(1).contains(log)).toMap

  /**
   * The entry in a file; it never changes, so that it is read once. None where the file has gone since it was listed.
   */
  def entry(file: FileStatus): Option[LogEntry] = {
    val key = (file.getPath.toString, file.getModificationTime, file.getLen)
    Option(Known.get(key)).orElse {
      val read = entry(file.getPath, folder.read(file))
      read.foreach { found =>
        // Names of other files are made of it.
        if (!isPlain(found.log) || !isPlain(found.id) || entryName(found) != file.getPath.getName)
          throw ZOrderErrors.unreadableLog(file.getPath.toString, "it is the entry of another log or number", null)
        Known.put(key, found)
      }
      read
    }
  }

  /**
   * Whether an entry is there now, and no other one in its place: an entry that had to be written anew has its id, but
   * nobody who knows what was in it before acts on it any more.
   */
  def holds(entry: LogEntry): Boolean = {
    val path = entryPath(entry)
    this.entry(path, folder.read(path)).exists(_ == entry)
  }

  private def entry(path: Path, content: Option[Array[Byte]]): Option[LogEntry] = document(
    path,
    content,
    classOf[EntryDocument]).map { document =>
    if (document.version > Version) throw ZOrderErrors.newerLog(folder.root.toString, document.version)
    LogEntry.fault(document.entry).foreach(what => throw ZOrderErrors.unreadableLog(path.toString, what, null))
    document.entry
  }

  /** The folders that were moved; None where the entry has no verdict. */
  def verdict(entry: LogEntry): Option[Set[String]] = {
    val path = verdictPath(entry)
    verdict(path, folder.read(path))
  }

  /** As above, out of a file that was listed; None also where it has gone since. */
  def verdict(file: FileStatus): Option[Set[String]] = verdict(file.getPath, folder.read(file))

  private def verdict(path: Path, content: Option[Array[Byte]]): Option[Set[String]] =
    document(path, content, classOf[VerdictDocument]).map { document =>
      document.moved.filterNot(_.contains(null)).getOrElse {
        throw ZOrderErrors.unreadableLog(path.toString, "it names no folders", null)
      }.toSet
    }

  /** Where what a rewrite does lies; who may write there decides it. */
  def pathsOf(entry: LogEntry): Seq[Path] = idPath +: documentsOf(entry)

  def documentsOf(entry: LogEntry): Seq[Path] =
    Seq(entryPath(entry), verdictPath(entry), new Path(folder.staging, entry.id))

  def entryPath(entry: LogEntry): Path = new Path(folder.rewriteLog, entryName(entry))

  def verdictPath(entry: LogEntry): Path = new Path(folder.rewriteLog, verdictName(entry))

  def closedPath(entry: LogEntry): Path = new Path(folder.rewriteLog, closedName(entry))

  private def document[T <: AnyRef](path: Path, content: Option[Array[Byte]], form: Class[T]): Option[T] = content.map {
    bytes =>
      try Option(Json.mapper.readValue(bytes, form)).getOrElse(throw ZOrderErrors.unreadableLog(
          path.toString,
          "null",
          null))
      catch { case e: JacksonException => throw ZOrderErrors.unreadableLog(path.toString, e.getOriginalMessage, e) }
  }
}

private[log] object LogFiles {

  private final case class EntryDocument(version: Int, entry: LogEntry)
  // A text without it is no verdict that all folders are left.
  private final case class VerdictDocument(moved: Option[Seq[String]])

  // The newest form of the files. From the third on entries have identities, and in the fourth, which only entries that
  // keep old files have, the time until which these are kept. The fifth is of entries whose new files are uploaded.
  private val Version = 5
  private val VersionWithoutUploads = 4
  private val VersionWithoutKept = 3

  private val StableListings = 10

  // Of all tables; by path, time and size.
  private val KnownEntries = 64

  private val Known =
    Collections.synchronizedMap(new util.LinkedHashMap[(String, Long, Long), LogEntry](16, 0.75f, true) {
      override def removeEldestEntry(eldest: util.Map.Entry[(String, Long, Long), LogEntry]): Boolean =
        size > KnownEntries
    })

  /** Whether a text can be a part of a file's name. */
  private def isPlain(id: String): Boolean = id != null && id.matches("[0-9A-Za-z_-]{1,100}")

  // The first of all where a store deletes a folder's files in the order of their names.
  private val Id = TableFolder.LogId

  private val Digits = 20
  private val InName = """(\d{20})\..*""".r
  private val EntryName = """(\d{20})\.[^.]*\.json""".r

  def entryName(entry: LogEntry): String = name(entry, "json")

  /** The id of the rewrite that a verdict or a hint is of, by its file's name. */
  def idOf(name: String): Option[String] = name.split('.') match {
    case Array(_, _, id, "verdict" | "closed") if isPlain(id) => Some(id)
    case _ => None
  }

  /** The id of the log of an entry, by its file's name. */
  def logOf(name: String): Option[String] =
    numberOfEntry(name).map(_ => name.split('.')(1)).filter(isPlain)

  // By the id of the rewrite, too: no verdict on another entry of that number counts.
  def verdictName(entry: LogEntry): String = name(entry, s"${entry.id}.verdict")

  def closedName(entry: LogEntry): String = name(entry, s"${entry.id}.closed")

  // Not by a format, which every reader of the log would wait for.
  private def name(entry: LogEntry, rest: String): String = {
    val number = entry.number.toString
    s"${"0" * (Digits - number.length)}$number.${entry.log}.$rest"
  }

  /** The number of the entry that a file belongs to. */
  def number(name: String): Option[Long] = name match {
    case InName(number) => number.toLongOption
    case _ => None
  }

  /** The number of an entry, by its file's name. */
  def numberOfEntry(name: String): Option[Long] = name match {
    case EntryName(number) => number.toLongOption
    case _ => None
  }

  def text(entry: LogEntry): Array[Byte] = {
    val version =
      if (entry.hasUploads) Version else if (entry.keepsReplaced) VersionWithoutUploads else VersionWithoutKept
    Json.mapper.writeValueAsString(EntryDocument(version, entry)).getBytes(UTF_8)
  }

  def text(moved: Set[String]): Array[Byte] =
    Json.mapper.writeValueAsString(VerdictDocument(Some(moved.toSeq.sorted))).getBytes(UTF_8)
}
