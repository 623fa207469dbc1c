package io.sparkzorder.format.parquet

import java.util
import java.util.Collections

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.JournalEntry.Folder

import org.apache.hadoop.fs.Path

/**
 * The rewrites of a table that are decided but not yet done, and those that were done last.
 *
 * `_zorder/journal/<id>.json` is the decision. `<id>.moved` says in which folders all new files are in their places, so
 * that the old ones may go. Both appear in one step. A finished rewrite stays as `<id>.done`, so that who has listed the
 * table before it finds out that the list is old.
 */
private[parquet] final class Journal(folder: TableFolder) {
  import Journal._

  /** All that the journal has: one listing, and one read for each entry not seen before. */
  def entries(): Seq[State] = entries(Attempts)

  @scala.annotation.tailrec
  private def entries(attempts: Int): Seq[State] = {
    val names = folder.list(folder.journal).map(_.getPath.getName)
    val states = names.filter(n => n.endsWith(Decision) || n.endsWith(Done)).sorted.map(state(_, names.toSet))
    // An entry that is closed between listing and reading is to be seen as done, not overlooked.
    if (attempts > 0 && states.exists(_.isEmpty)) entries(attempts - 1) else states.flatten
  }

  def pending(): Seq[State] = entries().filter(_.phase != Phase.Done)

  /** None where it has been closed since it was listed. */
  private def state(name: String, names: Set[String]): Option[State] = {
    val id = name.substring(0, name.lastIndexOf('.'))
    content(name).flatMap { case Document(version, entry) =>
      if (version > Version) throw ZOrderErrors.newerJournal(folder.root.toString, version)
      if (name.endsWith(Done)) Some(State(entry, Phase.Done, entry.folders.map(_.path).toSet))
      else if (names(id + Moved)) moved(id).map(State(entry, Phase.Cleaning, _))
      else Some(State(entry, Phase.Moving, Set.empty))
    }
  }

  private def moved(id: String): Option[Set[String]] =
    folder.read(path(id + Moved)).map(Mapper.readValue(_, classOf[Array[String]]).toSet)

  /** The content never changes, so that what was read once need not be read for each query. */
  private def content(name: String): Option[Document] = {
    val key = path(name).toString
    Option(Known.get(key)).orElse {
      val read = folder.read(path(name)).map(parse(_, key))
      read.foreach(Known.put(key, _))
      read
    }
  }

  private def parse(bytes: Array[Byte], file: String): Document =
    try Mapper.readValue(bytes, classOf[Document])
    catch { case e: JacksonException => throw ZOrderErrors.unreadableFile(file, e.getOriginalMessage, e) }

  /** Decides on a rewrite: from here on it will be done, whatever happens to this process. */
  def decide(entry: JournalEntry): Unit = {
    folder.make(folder.journal)
    write(entry.id + Decision, Document(Version, entry))
  }

  /** Says that the new files of these folders are in their places. */
  def markMoved(id: String, folders: Seq[Folder]): Unit = write(id + Moved, folders.map(_.path))

  /** Closes an entry, and forgets all but the last of those closed. */
  def close(entry: JournalEntry, done: Seq[Folder]): Unit = {
    val files = done.map(_.replaced.size).sum
    if (files > 0 && files <= RememberedFiles) write(entry.id + Done, Document(Version, entry.copy(folders = done)))
    Seq(entry.id + Decision, entry.id + Moved).foreach(n => folder.fs.delete(path(n), false))
    val closed = folder.list(folder.journal).filter(_.getPath.getName.endsWith(Done)).sortBy(_.getModificationTime)
    closed.dropRight(Remembered).foreach(s => folder.fs.delete(s.getPath, false))
  }

  private def write(name: String, content: Any): Unit =
    folder.write(path(name), Mapper.writeValueAsString(content).getBytes(UTF_8))

  private def path(name: String) = new Path(folder.journal, name)
}

private[parquet] object Journal {

  /** @param moved the folders whose new files are all in their places, once that is decided */
  final case class State(entry: JournalEntry, phase: Phase, moved: Set[String])

  sealed trait Phase

  object Phase {

    /** New files are being moved in; the old ones are all there. */
    case object Moving extends Phase

    /** The new files are in their places; old ones are being deleted. */
    case object Cleaning extends Phase

    case object Done extends Phase
  }

  private final case class Document(version: Int, entry: JournalEntry)

  // Of the files' form.
  private val Version = 1

  private val Decision = ".json"
  private val Moved = ".moved"
  private val Done = ".done"

  private val Attempts = 5

  // Older lists of files than by so many rewrites are rare, and then fail on a file that is missing.
  private val Remembered = 8

  // Every driver that queries the table keeps their names in memory.
  private val RememberedFiles = 10000

  // By the entries' full paths; the ids in them are unique.
  private val Known = Collections.synchronizedMap(new util.LinkedHashMap[String, Document](16, 0.75f, true) {
    override def removeEldestEntry(eldest: util.Map.Entry[String, Document]): Boolean = size > KnownEntries
  })

  private val KnownEntries = 64

  private val Mapper = new ObjectMapper().registerModule(DefaultScalaModule)
}
