// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import scala.annotation.meta.getter

import com.fasterxml.jackson.annotation.JsonInclude
import com.fasterxml.jackson.annotation.JsonInclude.Include
import io.sparkzorder.format.ListedFile

/**
 * A rewrite of a table, written down when all of its new files are staged and before any of them is moved.
 *
 * @param log
 *   the id of the log: a table whose folder is overwritten as a whole loses its log, and begins another
 * @param number
 *   number of the entry, from 1; a log uses each number once
 * @param id
 *   id of the rewrite, unlike that of any other; its files are staged under this name
 * @param previous
 *   the entry that was the last one when this one was written; None for the first of a log
 * @param folders
 *   files to delete and to move in, for each folder that has some
 * @param keptUntil
 *   the time until which the files to delete are kept in [[KeptFiles]], in milliseconds since 1970; [[LogEntry.NotKept]]
 *   for a rewrite that keeps none
 * @param idFile
 *   what distinguishes the file that has the log's id, and its folder, from copies, where the file system has such a
 *   thing: a log that was copied may be older than the data files that were copied with it
 * @param staging
 *   identity of the folder of staged files, likewise. It is deleted after the verdict; a log restored from before the
 *   verdict is recognized by its absence, or by another in its place
 */
private[parquet] final case class LogEntry(
    log: String,
    number: Long,
    id: String,
    previous: Option[LogEntry.Link],
    folders: Seq[LogEntry.FolderChange],
    // Left out of what older builds have to read.
    @(JsonInclude @getter)(Include.NON_DEFAULT) keptUntil: Long = LogEntry.NotKept,
    @(JsonInclude @getter)(Include.NON_ABSENT) idFile: Option[String] = None,
    @(JsonInclude @getter)(Include.NON_ABSENT) staging: Option[String] = None) {

  def link: LogEntry.Link = LogEntry.Link(number, id)

  def keepsReplaced: Boolean = keptUntil != LogEntry.NotKept

  /** The old files and the new ones. */
  def paths: Seq[String] = folders.flatMap(_.paths)

  def hasUploads: Boolean = folders.exists(_.added.exists(_.upload.nonEmpty))
}

private[parquet] object LogEntry {

  // What an entry without it is read as, too.
  val NotKept = 0L

  /** Why what was read is no entry; whoever may write to the table may have written it. */
  private[log] def fault(entry: LogEntry): Option[String] = {
    def isWhole(f: FolderChange) = f != null && f.path != null && f.replaced != null && f.added != null &&
      f.replaced.forall(r => r != null && r.path != null) &&
      f.added.forall(a => a != null && a.path != null && a.staged != null)
    val isEntry = entry != null && entry.log != null && entry.id != null && entry.previous != null &&
      entry.previous.forall(link => link != null && link.id != null) && entry.folders != null && entry.folders.forall(
        isWhole)
    if (isEntry) None else Some("a part of it is missing")
  }

  /** Names an entry: a number alone could be that of an entry that was forgotten. */
  final case class Link(number: Long, id: String)

  /**
   * @param path
   *   path relative to the table; empty for the table's own folder
   * @param replaced
   *   files that the rewrite deletes, as they were when they were listed
   * @param added
   *   files that the rewrite moves in
   * @param identities
   *   what distinguishes replaced files from others of the same names, sizes and times, by their paths, where the file system
   *   has such a thing: a file that is restored is another one
   */
  final case class FolderChange(
      path: String,
      replaced: Seq[ListedFile],
      added: Seq[Added],
      identities: Map[String, String] = Map.empty) {

    /** The old files and the new ones. */
    def paths: Seq[String] = replaced.map(_.path) ++ added.map(_.path)

    // Entries without them, or with a null among them, are read with null.
    def identity(file: ListedFile): Option[String] = Option(identities).flatMap(_.get(file.path)).filter(_ != null)

    def replacedWithIdentities: Seq[(ListedFile, Option[String])] = replaced.map(file => file -> identity(file))
  }

  /**
   * @param staged
   *   path of the staged file, relative to the table; of the record of its upload where it is uploaded to its place
   * @param path
   *   path in the table, likewise; its name is unlike that of any other file
   * @param upload
   *   what completes its upload, and aborts it; see [[io.sparkzorder.format.parquet.folder.FileUpload]]
   */
  final case class Added(
      staged: String,
      path: String,
      bytes: Long,
      @(JsonInclude @getter)(Include.NON_ABSENT) upload: Option[String] = None) {

    /**
     * Whether the file is in the table. One that is shorter than it was written is not: it was cut, and has not the rows of
     * old ones. With a store's encryption a listing may have more bytes than were written.
     *
     * @param found
     *   the size of a file that is there, by its path
     */
    def isIn(found: String => Option[Long]): Boolean = found(path).exists(_ >= bytes)
  }
}
