package io.sparkzorder.format.parquet.log

import java.nio.charset.StandardCharsets.UTF_8
import java.util
import java.util.Collections

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.TableFolder

import org.apache.hadoop.fs.{FileStatus, Path}

/**
 * The files of `_zorder/log`: `<number>.json` is an entry, `<number>.<id>.verdict` its verdict. `<number>.<id>.closed`, of
 * which only the name counts, is a hint that nothing is left to do.
 *
 * @param listsInSteps
 *   whether a listing is of no one moment: Hadoop's local file system asks for names and then looks at each file
 */
private[log] final class LogFiles(folder: TableFolder, listsInSteps: Boolean) {
  import LogFiles._

  /** All files of the log, by their names. */
  def list(): Map[String, FileStatus] = {
    def once() = folder.list(folder.rewriteLog).map(s => s.getPath.getName -> s).toMap
    @scala.annotation.tailrec
    def stable(before: Map[String, FileStatus], left: Int): Map[String, FileStatus] = {
      val now = once()
      if (now.keySet == before.keySet || left == 0) now else stable(now, left - 1)
    }
    if (listsInSteps) stable(once(), StableListings) else once()
  }

  /** The entry in a file; it never changes, so that it is read once. None where the file has gone since it was listed. */
  def entry(file: FileStatus): Option[LogEntry] = {
    val key = (file.getPath.toString, file.getModificationTime, file.getLen)
    Option(Known.get(key)).orElse {
      val read = entry(file.getPath)
      read.foreach(Known.put(key, _))
      read
    }
  }

  /** As it is now; None where there is no such entry. */
  def entry(number: Long): Option[LogEntry] = entry(entryPath(number))

  private def entry(path: Path): Option[LogEntry] = read(path, classOf[EntryDocument]).map { document =>
    if (document.version > Version) throw ZOrderErrors.newerLog(folder.root.toString, document.version)
    document.entry
  }

  /** The folders that were moved; None where the entry has no verdict. */
  def verdict(entry: LogEntry): Option[Set[String]] =
    read(verdictPath(entry), classOf[VerdictDocument]).map(_.moved.toSet)

  def entryPath(number: Long): Path = new Path(folder.rewriteLog, entryName(number))

  def verdictPath(entry: LogEntry): Path = new Path(folder.rewriteLog, verdictName(entry))

  def closedPath(entry: LogEntry): Path = new Path(folder.rewriteLog, closedName(entry))

  private def read[T <: AnyRef](path: Path, form: Class[T]): Option[T] = folder.read(path).map { bytes =>
    try Option(Mapper.readValue(bytes, form)).getOrElse(throw ZOrderErrors.unreadableLog(path.toString, "null", null))
    catch { case e: JacksonException => throw ZOrderErrors.unreadableLog(path.toString, e.getOriginalMessage, e) }
  }
}

private[log] object LogFiles {

  private final case class EntryDocument(version: Int, entry: LogEntry)
  private final case class VerdictDocument(moved: Seq[String])

  // Of the files' form. The journal of 0.1.0 was the first.
  private val Version = 2

  private val StableListings = 10

  // Of all tables; by path, time and size.
  private val KnownEntries = 64

  private val Known =
    Collections.synchronizedMap(new util.LinkedHashMap[(String, Long, Long), LogEntry](16, 0.75f, true) {
      override def removeEldestEntry(eldest: util.Map.Entry[(String, Long, Long), LogEntry]): Boolean =
        size > KnownEntries
    })

  val Mapper: ObjectMapper = new ObjectMapper().registerModule(DefaultScalaModule)

  private val InName = """(\d{20})\..*""".r
  private val EntryName = """(\d{20})\.json""".r

  def entryName(number: Long): String = f"$number%020d.json"

  def verdictName(entry: LogEntry): String = f"${entry.number}%020d.${entry.id}.verdict"

  def closedName(entry: LogEntry): String = f"${entry.number}%020d.${entry.id}.closed"

  /** The number of the entry that a file belongs to. */
  def number(name: String): Option[Long] = name match {
    case InName(number) => Some(number.toLong)
    case _ => None
  }

  /** The number of an entry, by its file's name. */
  def numberOfEntry(name: String): Option[Long] = name match {
    case EntryName(number) => Some(number.toLong)
    case _ => None
  }

  def text(entry: LogEntry): Array[Byte] =
    Mapper.writeValueAsString(EntryDocument(Version, entry)).getBytes(UTF_8)

  def text(moved: Set[String]): Array[Byte] =
    Mapper.writeValueAsString(VerdictDocument(moved.toSeq.sorted)).getBytes(UTF_8)
}
