// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import org.apache.hadoop.fs.FileStatus

/**
 * The entries of a log up to one of them, along their links.
 *
 * Each entry links to the one before it, and the last of them are never forgotten. So the entries that count are those
 * on the way along the links from the highest number whose link leads to an entry. One that was written by a process
 * that was paused while its number was used and forgotten is not among them: the entry after it links to another, or
 * the one before it is gone. It never has the highest number. So where the highest one follows an entry that is gone,
 * somebody has deleted that, and the highest one counts as long as it is open: its files are there twice.
 */
private[log] sealed trait EntryChain

private[log] object EntryChain {

  /** One of them has gone since it was listed. */
  case object Gone extends EntryChain

  /** The last of them follows an entry that is not there: it was written by a process that came too late, or that is lost. */
  final case class NotCounted(last: LogEntry) extends EntryChain

  final case class Counted(entries: List[LogEntry]) extends EntryChain

  /**
   * The entries that count.
   *
   * @param listed
   *   the files of all entries, by their numbers
   * @param isOpen
   *   whether the entry of the highest number of all is one, and open
   */
  def of(listed: Map[Long, FileStatus], files: LogFiles, isOpen: LogEntry => Boolean): EntryChain = {
    val all = listed.keys.toSeq.sorted.reverseIterator.map(number => upTo(listed(number), listed, files)).buffered
    val lost = all.headOption.collect { case NotCounted(last) if isOpen(last) => last }
    all.find(!_.isInstanceOf[NotCounted]).getOrElse(Counted(Nil)) match {
      case Counted(entries) => Counted(entries ++ lost)
      case gone => gone
    }
  }

  private def upTo(last: FileStatus, listed: Map[Long, FileStatus], files: LogFiles): EntryChain = {
    @scala.annotation.tailrec
    def back(found: List[LogEntry]): EntryChain = {
      val link = found.head.previous
      // Whoever may write to the table may write entries that link to themselves.
      link.filter(_.number < found.head.number).flatMap(l => listed.get(l.number)).map(files.entry) match {
        case Some(None) => Gone
        case Some(Some(entry)) if link.contains(entry.link) => back(entry :: found)
        case _ => if (link.nonEmpty && found.size == 1) NotCounted(found.head) else Counted(found)
      }
    }
    files.entry(last).fold[EntryChain](Gone)(entry => back(List(entry)))
  }
}
