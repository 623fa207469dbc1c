// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException, InputStream}
import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.BasicFileAttributes
import java.util.concurrent.ConcurrentHashMap

import scala.annotation.nowarn
import scala.util.{Try, Using}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.functional.FutureIO

/** What there is below a table's folder, and the content of small files. */
private[folder] trait FolderReads { self: FolderPaths =>

  /** None where there is nothing. */
  def status(path: Path): Option[FileStatus] = checked(path)(statusAnywhere(path))

  /** As [[status]], also of what is above the table's folder. */
  def statusAnywhere(path: Path): Option[FileStatus] =
    try Some(fs.getFileStatus(path))
    catch { case _: FileNotFoundException => None }

  /** Whether there is a folder. A store answers this with one listing, where [[status]] asks for an object first. */
  @nowarn("cat=deprecation")
  def isFolderAnywhere(path: Path): Boolean = fs.isDirectory(path)

  /** Whether there is something where a folder is to be. */
  def isThere(folder: Path): Boolean =
    if (isStore) checked(folder)(isFolderAnywhere(folder)) else status(folder).isDefined

  /** The files and folders right below; none where there is no such folder. */
  def list(path: Path): Seq[FileStatus] = checked(path)(listAnywhere(path))

  // Of a store, those that something was found in: such a one is mostly there when it is listed again.
  private val found = ConcurrentHashMap.newKeySet[Path]()

  /** To be called where there is something in a folder. */
  protected def isFound(folder: Path): Unit = found.add(folder): Unit

  /**
   * As [[list]], of a folder that may not be there: a store is asked for it once, not in three ways. None where a store
   * has nothing of it.
   */
  def listIfThere(path: Path): Option[Seq[FileStatus]] = if (isStore && !found.contains(path) && !isThere(path)) None
  else {
    val listed = list(path)
    if (listed.nonEmpty) isFound(path)
    Some(listed)
  }

  /** As [[list]], also of what is above the table's folder. */
  def listAnywhere(path: Path): Seq[FileStatus] =
    try fs.listStatus(path).toSeq
    catch {
      case _: FileNotFoundException => Nil
      // So Hadoop calls a local folder that goes while it is listed.
      case _: IOException if isLocal && !Files.exists(local(path), NOFOLLOW_LINKS) => Nil
    }

  /** The content of a small file; None where there is none. */
  def read(path: Path): Option[Array[Byte]] = checked(path) {
    requireFile(path)
    try Some(content(fs.open(path)))
    catch {
      // So Hadoop calls a local file that one may not read.
      case _: FileNotFoundException if isLocal && Files.exists(local(path), NOFOLLOW_LINKS) =>
        throw new AccessControlException(s"$path cannot be read")
      case _: FileNotFoundException => None
    }
  }

  /** As [[read]], of a file that was listed: a store does not ask for it again. */
  def read(file: FileStatus): Option[Array[Byte]] = {
    def listed() = content(FutureIO.awaitFuture(fs.openFile(file.getPath).withFileStatus(file).build()))
    if (isLocal) read(file.getPath)
    // It may have gone since, or be another one.
    else checked(file.getPath)(Try(listed()).toOption).orElse(read(file.getPath))
  }

  /**
   * To be called before something is opened that others may have made: to open a pipe takes until somebody writes to it.
   *
   * @throws AccessControlException
   *   where it is one, or a socket or a device
   */
  def requireFile(path: Path): Unit =
    if (isLocal && isSpecial(local(path))) throw new AccessControlException(s"$path cannot be read: it is no file")

  private def isSpecial(file: LocalPath): Boolean =
    Try(Files.readAttributes(file, classOf[BasicFileAttributes], NOFOLLOW_LINKS)).toOption.exists(_.isOther)

  private def content(in: InputStream): Array[Byte] = Using.resource(in)(_.readAllBytes())
}
