// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.FileNotFoundException
import java.nio.file.{Files, Path => LocalPath}

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * The folder of a Parquet table, and in it `_zorder`, which holds everything that this project keeps of the table.
 *
 * Readers pass over names that begin with `_`, so whatever lies there is no data. All paths that are written down are
 * relative to the folder; none that leads out of it is ever followed.
 */
private[parquet] final class TableFolder(location: Path, conf: Configuration) extends FileRemoval with SmallFiles {
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
  private[folder] def requireNoLink(path: Path): Unit =
    for (file <- local(path); top <- local(root)) {
      val onTheWay = Iterator.iterate(file)(_.getParent).takeWhile(p => p != null && p != top)
      if (onTheWay.exists(Files.isSymbolicLink(_))) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
    }

  private[folder] def local(path: Path): Option[LocalPath] =
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
}

private[sparkzorder] object TableFolder {

  /** The name of the folder in the table. */
  val Name = "_zorder"

  /** Whether readers pass over a file or folder of this name, as Spark decides it. */
  def isHidden(name: String): Boolean = name.startsWith(".") || (name.startsWith("_") && !name.contains("="))
}
