// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import com.fasterxml.jackson.core.JacksonException
import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.{Json, TableFolder}
import io.sparkzorder.format.parquet.log.LogState.Rewrite

import org.apache.hadoop.fs.Path

/**
 * Rewrites that version 0.1.0 began and did not finish: `_zorder/journal/<id>.json`, and `<id>.moved` once the folders
 * in it had their new files. They count as entries of number 0, which go before all other entries.
 */
private[log] final class LegacyJournal(folder: TableFolder) {
  import LegacyJournal._

  /**
   * @param verdictOf
   *   gives the verdict on an entry, where the log has one
   * @return
   *   None where one has gone since it was listed
   * @throws ZOrderRuntimeException
   *   where one cannot be read
   */
  def rewrites(verdictOf: LogEntry => Option[Set[String]]): Option[Seq[Rewrite]] = {
    val names = folder.list(folder.journal).map(_.getPath.getName).toSet
    val found = names.toSeq.filter(isDecision).sorted.map { name =>
      val id = name.stripSuffix(Decision)
      read(name, classOf[Document]).flatMap { document =>
        if (document.version > Version) throw ZOrderErrors.newerLog(folder.root.toString, document.version)
        val entry = LogEntry(LegacyJournal.Log, 0L, id, None, document.entry.folders)
        if (names(id + Moved))
          read(id + Moved, classOf[Array[String]]).map(m => Rewrite(entry, Some(m.toSet), isClosed = false))
        else {
          val verdict = verdictOf(entry)
          // An entry is deleted before its verdict: a verdict without one may be that of a process that came too late.
          if (verdict.isEmpty || has(entry)) Some(Rewrite(entry, verdict, isClosed = false)) else None
        }
      }
    }
    if (found.exists(_.isEmpty)) None else Some(found.flatten)
  }

  def has(entry: LogEntry): Boolean = folder.status(path(entry.id + Decision)).isDefined

  /** Deletes the files of a rewrite of which nothing is left to do. */
  def forget(entry: LogEntry): Unit = Seq(Decision, Moved).foreach(suffix => folder.remove(path(entry.id + suffix)))

  /** Deletes the journal once it holds only hints of rewrites that are done. */
  def removeIfDone(): Unit = {
    val files = folder.list(folder.journal).map(_.getPath)
    if (!files.exists(f => isDecision(f.getName))) {
      files.foreach(folder.remove)
      folder.removeIfEmpty(folder.journal)
    }
  }

  private def isDecision(name: String) = name.endsWith(Decision) && !name.startsWith(".")

  private def path(name: String) = new Path(folder.journal, name)

  private def read[T <: AnyRef](name: String, form: Class[T]): Option[T] = folder.read(path(name)).map { bytes =>
    try Json.mapper.readValue(bytes, form)
    catch { case e: JacksonException => throw ZOrderErrors.unreadableLog(path(name).toString, e.getOriginalMessage, e) }
  }
}

private[log] object LegacyJournal {
  private final case class Document(version: Int, entry: Entry)
  private final case class Entry(id: String, folders: Seq[LogEntry.Folder])

  private val Log = "journal"
  private val Version = 1
  private val Decision = ".json"
  private val Moved = ".moved"
}
