// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.IOException

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, NewAccess}
import io.sparkzorder.format.parquet.folder.opened.LocalIdentity

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging

/** Deletes files of a table, each only while it is the file that is meant. */
private[folder] trait FileRemoval extends Logging { folder: TableFolder =>

  /** Deletes the own folder where nothing is in it, as after a statement that was refused. */
  def removeEmptyFolders(): Unit =
    // S3A makes folders of what we create and delete in no case.
    if (!hasUploads && list(own).forall(f => f.getPath == locks || f.getPath == rewriteLog) && list(rewriteLog).isEmpty)
      Seq(rewriteLog, locks, own).foreach(removeIfEmpty)

  /**
   * Whether a file is still the one that was listed.
   *
   * @param identity
   *   see [[TableFolder.identities]]; None where it is not known
   */
  def isUnchanged(file: ListedFile, identity: Option[String]): Boolean =
    isSame(file, identity, isExact = true)(status(resolve(file.path)))

  /** As [[isUnchanged]], of several files, each with its identity: a store is asked for their folders, not for each. */
  def areUnchanged(of: Seq[(ListedFile, Option[String])]): Boolean =
    if (hasUploads) {
      val now = statuses(of.map(f => resolve(f._1.path)))
      of.forall { case (file, identity) => isSame(file, identity, isExact = true)(now.get(resolve(file.path))) }
    } else of.forall { case (file, identity) => isUnchanged(file, identity) }

  /** The file as it is now, where it still is the one that was listed; only its permissions may be others. */
  def sameFile(file: ListedFile, identity: Option[String]): Option[ListedFile] = {
    val now = status(resolve(file.path))
    if (isSame(file, identity)(now)) now.map(s => ListedFile(file.path, s.getLen, s.getModificationTime)) else None
  }

  /**
   * Deletes a file while it is the one that was listed.
   *
   * @param isDue
   *   whether it is to be deleted still, asked right before
   * @return
   *   whether no file is left that is to go. Another file of its name, size and time stays: it may be one of another
   *   partition that somebody has moved there, and has rows that are nowhere else.
   */
  def removeUnchanged(file: ListedFile, identity: Option[String], isDue: => Boolean): Boolean =
    removeIf(resolve(file.path), identity)(isToGo(file, identity, isDue))

  /**
   * As [[removeUnchanged]], of several files, each with its identity: from a store many are deleted with a call. A process
   * that is paused between a look and the call after it deletes files that others have restored since: so a call has few.
   *
   * @return
   *   files that are left
   */
  def removeAllUnchanged(of: Seq[(ListedFile, Option[String])], isDue: => Boolean): Seq[ListedFile] = {
    def toGo(of: Seq[(ListedFile, Option[String])]): Seq[ListedFile] = {
      lazy val still = isDue
      val now = statuses(of.map(f => resolve(f._1.path)))
      of.collect { case (file, identity) if isToGo(file, identity, still)(now.get(resolve(file.path))) => file }
    }
    if (!hasUploads) of.collect { case (file, identity) if !removeUnchanged(file, identity, isDue) => file }
    else {
      of.grouped(FileRemoval.AtOnce).foreach { some =>
        val going = toGo(some)
        if (going.nonEmpty) trying(root)(files.deleteFiles(going.map(file => resolve(file.path))))
      }
      toGo(of)
    }
  }

  /**
   * Moves a file away while it is the one that was listed. Where a store has copied it before, it is deleted.
   *
   * @param to
   *   a place of this file's alone; where something else lies there, on another file system than a store, the file stays
   * @return
   *   as of [[removeUnchanged]]
   */
  def moveUnchanged(
      file: ListedFile,
      identity: Option[String],
      isDue: => Boolean,
      to: Path): Boolean = {
    val from = resolve(file.path)
    def isThere = isToGo(file, identity, isDue)(status(from))
    !isThere || {
      var isVery = false
      var closed = Option.empty[NewAccess]
      trying(from) {
        make(to.getParent)
        val now = accessOf(from)
        closed = accessesFrom("", file.path, identity)
        // Local files have one, and one that is not there for a moment may have been given another name.
        isVery = closed.isDefined || (now.isEmpty && (scheme != "file" || accessOf(root).isEmpty))
        closed.map(_.opened).filterNot(now.contains).foreach(closeAsInFolder(from, now, _, to.getParent))
      }
      if (isVery) move(file, identity, from, isThere, to, closed) else !isThere
    }
  }

  /**
   * For a file that leaves the table: those folders in the table that close it may go. One of another owner, or with other
   * names elsewhere, stays as it is, and so the folder that it comes to is closed, too.
   *
   * @param access
   *   as folders close the file
   */
  private def closeAsInFolder(file: Path, now: Option[Access], access: Access, to: Path): Unit = {
    val from = accessOf(file.getParent)
    narrow(to, from.fold(access.ofFolder)(access.ofFolderLike))
    // Who owns the folder may have been able to read it.
    if (from.forall(f => now.forall(_.owner == f.owner))) narrow(file, access)
  }

  /**
   * Gives a file another name while it is the one that was listed.
   *
   * @param to
   *   a path that no other file ever had, in a folder that is there; where one has it all the same, the file stays
   * @return
   *   as of [[removeUnchanged]]
   */
  def renameUnchanged(file: ListedFile, identity: Option[String], to: Path): Boolean = {
    val from = resolve(file.path)
    def isThere = isSame(file, identity)(status(from))
    !isThere || move(file, identity, from, isThere, to, closed = None)
  }

  private def move(
      file: ListedFile,
      identity: Option[String],
      from: Path,
      isThere: => Boolean,
      to: Path,
      closed: Option[NewAccess]): Boolean = {
    trying(from) {
      val found = status(to)
      // Where nothing was copied, it is somebody's, and none of the file's rows need be there.
      val isKept = files.isStore && found.exists(_.getLen == file.bytes)
      val isTaken = !files.isStore && found.nonEmpty
      // Looked at once more, as late as possible.
      if (isTaken) logWarning(s"$from stays: something else lies at $to, to which it is to go; move that away")
      else if (isThere)
        if (isKept) files.delete(from)
        else if (!files.renameVery(from, to, identity, closed) && scheme == "file" && closed.isDefined && isThere)
          logWarning(s"$from stays: ${to.getParent} may be open to some who may not read it. Move that folder away")
    }
    !isThere
  }

  private def isToGo(file: ListedFile, identity: Option[String], isDue: => Boolean)(now: Option[FileStatus]): Boolean =
    isSame(file, identity)(now) && isDue

  /**
   * Whether what is there by now has the name, size and time of a file that was listed, and is another one: a copy that was
   * restored, or one of another folder.
   */
  def isAnother(file: ListedFile, identity: Option[String])(now: Option[FileStatus]): Boolean =
    isSame(file, None)(now) && !isSame(file, identity)(now)

  /**
   * @param isExact
   *   whether a change counts that leaves the file the same one, such as of its permissions or, with the time set back, of
   *   its content
   */
  private def isSame(file: ListedFile, identity: Option[String], isExact: Boolean = false)(
      now: Option[FileStatus]): Boolean = {
    def areOne(known: String, now: String) = if (isExact) known == now else LocalIdentity.areOfOneFile(known, now)
    // A folder, which has a size and a time, too, would be moved with all that is in it.
    now.exists { s =>
      s.isFile && s.getLen == file.bytes && ListedFile.isSameTime(s.getModificationTime, file.modificationTime) &&
      identity.forall(known => files.identity(s).forall(areOne(known, _)))
    }
  }

  /**
   * Deletes a file that satisfies a condition; answers whether none is there that does. File systems may answer wrong.
   *
   * @param identity
   *   of the file that is meant; None where any is
   */
  def removeIf(path: Path, identity: Option[String] = None)(condition: Option[FileStatus] => Boolean): Boolean =
    !condition(status(path)) || {
      delete(path, identity)
      !condition(status(path))
    }

  /** @throws ZOrderRuntimeException where the file is there afterwards */
  def remove(path: Path): Unit =
    if (!removeIf(path)(_.isDefined)) throw ZOrderErrors.cannotDelete(root.toString, Seq(path.toString))

  /** Deletes a file that nobody misses if it stays. */
  def delete(path: Path): Unit = delete(path, None)

  private def delete(path: Path, identity: Option[String]): Unit = trying(path) {
    // S3A asks for a file that it deletes singly, and replaces the file's folder by a marker object.
    if (hasUploads) files.deleteFiles(Seq(path)) else files.deleteVery(path, identity)
  }

  /**
   * Deletes a folder with all that is in it; the next statement retries what is still there.
   *
   * @param isOwn
   *   whether a file, by its path below the folder, size and time, cannot be the table's: it goes also where not all
   *   who may write into the table's folder may delete it
   * @param isOurs
   *   whether what nobody else may put there is ours; not of what lay there when others might
   * @param word
   *   documents of the table that name these files, if it was read there: see [[TableFolder.trusting]]
   */
  def removeAll(
      path: Path,
      isOwn: ListedFile => Boolean = _ => false,
      isOurs: Boolean = false,
      word: Seq[Path] = Nil): Unit =
    trying(path)(files.deleteAll(path, isOwn, isOurs, word))

  private[folder] def trying(path: Path)(body: => Any): Unit =
    try body: Unit
    catch { case e: IOException => logWarning(s"Could not take $path away", e) }

  /** Deletes a folder that is empty, also when it is deleted: a concurrent statement may have begun. */
  def removeIfEmpty(path: Path): Unit = if (isThere(path) && list(path).isEmpty) Try(files.deleteEmpty(path))
}

private[folder] object FileRemoval {

  // Files that are looked at, and then deleted with a call.
  private val AtOnce = 100
}
