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

  /** All that the journal has: few listings, and one read for each entry not seen before. */
  def entries(): Seq[State] = {
    @scala.annotation.tailrec
    def attempt(left: Int): Seq[State] = states(names()) match {
      case Some(found) => found
      // Ended since it was listed; what is known of it would be a phase that is over.
      case None if left > 0 => attempt(left - 1)
      case None => throw ZOrderErrors.unreadableFile(folder.journal.toString, "it changes all the time", null)
    }
    attempt(Attempts)
  }

  def pending(): Seq[State] = entries().filter(_.phase != Phase.Done)

  /**
   * Hadoop's local file system first asks for names and then looks at each file: one that ends as `.json` and goes on as
   * `.done` in between would be missing in both forms. The next listing has it.
   */
  private def names(): Set[String] = {
    def list() = folder.list(folder.journal).map(_.getPath.getName).toSet
    @scala.annotation.tailrec
    def attempt(before: Set[String], left: Int): Set[String] = {
      val now = list()
      if (now == before || left == 0) now else attempt(now, left - 1)
    }
    if (folder.fs.getUri.getScheme == "file") attempt(list(), Attempts) else list()
  }

  /** None where one of them has ended meanwhile. */
  private def states(names: Set[String]): Option[Seq[State]] = {
    val found = names.toSeq.filter(n => n.endsWith(Decision) || n.endsWith(Done)).sorted.map { name =>
      val id = name.substring(0, name.lastIndexOf('.'))
      content(name) match {
        case Some(Document(version, _)) if version > Version =>
          throw ZOrderErrors.newerJournal(folder.root.toString, version)
        case Some(Document(_, entry)) if name.endsWith(Done) =>
          Some(Seq(State(entry, Phase.Done, entry.folders.map(_.path).toSet)))
        case Some(Document(_, entry)) if !names(id + Moved) => Some(Seq(State(entry, Phase.Moving, Set.empty[String])))
        case Some(Document(_, entry)) => moved(id).map(folders => Seq(State(entry, Phase.Cleaning, folders)))
        // Of those that are done, old ones are forgotten.
        case None => if (name.endsWith(Done)) Some(Nil) else None
      }
    }
    if (found.exists(_.isEmpty)) None else Some(found.flatten.flatten)
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
    if (done.nonEmpty) write(entry.id + Done, Document(Version, entry.copy(folders = done)))
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

  // Rewrites that end while their journal is read.
  private val Attempts = 10

  // Older lists of files than by so many rewrites are rare, and then fail on a file that is missing.
  private val Remembered = 8

  // By the entries' full paths; the ids in them are unique.
  private val Known = Collections.synchronizedMap(new util.LinkedHashMap[String, Document](16, 0.75f, true) {
    override def removeEldestEntry(eldest: util.Map.Entry[String, Document]): Boolean = size > KnownEntries
  })

  private val KnownEntries = 64

  private val Mapper = new ObjectMapper().registerModule(DefaultScalaModule)
}
