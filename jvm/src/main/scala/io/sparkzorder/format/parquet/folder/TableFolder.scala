// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{Files, Path => LocalPath}

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.ListedFile

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}
import org.apache.spark.internal.Logging

/**
 * The folder of a Parquet table, and in it `_zorder`, which holds everything that this project keeps of the table.
 *
 * Readers pass over names that begin with `_`, so whatever lies there is no data. All paths that are written down are
 * relative to the folder; none that leads out of it is ever followed.
 */
private[parquet] final class TableFolder(location: Path, conf: Configuration) extends Logging {
  import TableFolder._

  val fs: FileSystem = location.getFileSystem(conf)

  val root: Path = fs.makeQualified(location)

  val own: Path = new Path(root, Name)
  val staging: Path = new Path(own, "staging")
  val rewriteLog: Path = new Path(own, "log")
  // Of version 0.1.0.
  val journal: Path = new Path(own, "journal")
  val locks: Path = new Path(own, "locks")
  val statistics: Path = new Path(own, "statistics")

  val ownership: FileOwnership = new FileOwnership(fs)

  private val prefix = root.toUri.getPath.stripSuffix("/") + "/"

  /** The path of something in the table as it is written down; None for what does not lie in the table. */
  def relative(path: Path): Option[String] = {
    val text = fs.makeQualified(path).toUri.getPath
    if (text.startsWith(prefix) && text.length > prefix.length) Some(text.substring(prefix.length)) else None
  }

  /**
   * The location of a path that was written down.
   *
   * @throws ZOrderRuntimeException where it is not a plain path within the table
   */
  def resolve(relative: String): Path = {
    val parts = relative.split("/", -1)
    val isPlain = relative.nonEmpty && !parts.exists(p => p.isEmpty || p == "." || p == "..")
    val path = if (isPlain) new Path(root, new Path(null, null, relative)) else root
    if (!isPlain || !this.relative(path).contains(relative))
      throw ZOrderErrors.pathOutsideTable(relative, root.toString)
    requireNoLink(path)
    path
  }

  /** A link on the way would lead the file system out of the table. Only local ones have links in Hadoop. */
  private def requireNoLink(path: Path): Unit =
    for (file <- local(path); top <- local(root)) {
      val onTheWay = Iterator.iterate(file)(_.getParent).takeWhile(p => p != null && p != top)
      if (onTheWay.exists(Files.isSymbolicLink(_))) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
    }

  private def local(path: Path): Option[LocalPath] =
    if (fs.getUri.getScheme == "file") Some(LocalPath.of(path.toUri.getPath)) else None

  /** None where there is nothing. */
  def status(path: Path): Option[FileStatus] =
    try Some(fs.getFileStatus(path))
    catch { case _: FileNotFoundException => None }

  /** The files and folders right below; none where there is no such folder. */
  def list(path: Path): Seq[FileStatus] =
    try fs.listStatus(path).toSeq
    catch { case _: FileNotFoundException => Nil }

  /** Creates one of the own folders, for the table's owner and with its permissions. */
  def make(folder: Path): Unit = {
    requireNoLink(folder)
    Seq(own, folder).distinct.filter(status(_).isEmpty).foreach { missing =>
      fs.mkdirs(missing)
      ownership.copyTo(root, missing)
    }
  }

  /** Deletes the own folder where nothing is in it, as after a statement that was refused. */
  def removeEmptyFolders(): Unit =
    if (list(own).forall(f => f.getPath == locks || f.getPath == rewriteLog) && list(rewriteLog).isEmpty)
      Seq(rewriteLog, locks, own).foreach(removeIfEmpty)

  /** Whether a file is still the one that was listed. */
  def isUnchanged(file: ListedFile): Boolean = isSame(file)(status(resolve(file.path)))

  /** Deletes a file while it is the one that was listed; answers whether that one is gone. */
  def removeUnchanged(file: ListedFile): Boolean = removeIf(resolve(file.path))(isSame(file))

  private def isSame(file: ListedFile)(now: Option[FileStatus]): Boolean =
    now.exists(s => s.getLen == file.bytes && isSameTime(s.getModificationTime, file.modificationTime))

  /** Some stores list times in milliseconds, and answer for one file in seconds. */
  private def isSameTime(a: Long, b: Long): Boolean =
    a == b || ((a % 1000 == 0 || b % 1000 == 0) && a / 1000 == b / 1000)

  /**
   * Deletes a file that satisfies a condition; answers whether none is there that does. File systems may answer wrong.
   */
  def removeIf(path: Path)(condition: Option[FileStatus] => Boolean): Boolean = !condition(status(path)) || {
    try fs.delete(path, false)
    catch { case e: IOException => logWarning(s"Could not delete $path", e) }
    !condition(status(path))
  }

  /** @throws ZOrderRuntimeException where the file is there afterwards */
  def remove(path: Path): Unit =
    if (!removeIf(path)(_.isDefined)) throw ZOrderErrors.cannotDelete(root.toString, Seq(path.toString))

  /** Deletes a folder with all that is in it; the next statement retries what is still there. */
  def removeAll(path: Path): Unit =
    try if (!fs.delete(path, true) && status(path).isDefined) logWarning(s"Could not delete $path")
    catch { case e: IOException => logWarning(s"Could not delete $path", e) }

  /** Deletes a folder that is empty, also when it is deleted: a concurrent statement may have begun. */
  def removeIfEmpty(path: Path): Unit =
    if (status(path).isDefined && list(path).isEmpty)
      // Hadoop looks whether a local folder is empty, and then deletes it with whatever is in it.
      Try(local(path).fold[Any](fs.delete(path, false))(Files.delete))

  /** Writes a small file in one step: whoever reads it finds all of it or no file. */
  def write(path: Path, content: Array[Byte]): Unit = {
    requireNoLink(path)
    val draft = new Path(path.getParent, s".${path.getName}.draft")
    overwrite(draft, content)
    ownership.copyTo(root, draft)
    if (!fs.rename(draft, path)) {
      fs.delete(draft, false)
      // A concurrent process that finishes the same rewrite may have been faster.
      if (status(path).isEmpty) throw ZOrderErrors.cannotMove(draft.toString, path.toString)
    }
  }

  /** Writes a small file of which a reader may see a part. */
  def overwrite(path: Path, content: Array[Byte]): Unit = {
    val out = fs.create(path, true)
    try {
      out.write(content)
      out.hsync()
    } finally out.close()
  }

  /** The content of a small file; None where there is none. */
  def read(path: Path): Option[Array[Byte]] =
    try {
      val in = fs.open(path)
      try Some(in.readAllBytes())
      finally in.close()
    } catch { case _: FileNotFoundException => None }
}

private[sparkzorder] object TableFolder {

  /** The name of the folder in the table. */
  val Name = "_zorder"

  /** Whether readers pass over a file or folder of this name, as Spark decides it. */
  def isHidden(name: String): Boolean = name.startsWith(".") || (name.startsWith("_") && !name.contains("="))
}
