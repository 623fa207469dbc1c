package io.sparkzorder.format.parquet

import java.io.FileNotFoundException
import java.nio.file.{Files, Path => LocalPath}

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FileSystem, Path}

/**
 * The folder of a Parquet table, and in it `_zorder`, where everything lies that this project keeps of the table.
 *
 * Readers pass over names that begin with `_`, so whatever lies there is no data. All paths that are written down are
 * relative to the folder; none that leads out of it is ever followed.
 */
private[parquet] final class TableFolder(location: Path, conf: Configuration) {
  import TableFolder._

  val fs: FileSystem = location.getFileSystem(conf)

  val root: Path = fs.makeQualified(location)

  val own: Path = new Path(root, Name)
  val staging: Path = new Path(own, "staging")
  val journal: Path = new Path(own, "journal")
  val locks: Path = new Path(own, "locks")
  val statistics: Path = new Path(own, "statistics")

  val ownership: Ownership = new Ownership(fs)

  private val prefix = root.toUri.getPath.stripSuffix("/") + "/"

  /** The path of something in the table as it is written down; None for what does not lie in the table. */
  def relative(path: Path): Option[String] = {
    val text = fs.makeQualified(path).toUri.getPath
    if (text.startsWith(prefix) && text.length > prefix.length) Some(text.substring(prefix.length)) else None
  }

  /**
   * The place of a path that was written down.
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

  /** Makes one of the own folders, for the table's owner and with its permissions. */
  def make(folder: Path): Unit = {
    requireNoLink(folder)
    Seq(own, folder).distinct.filter(status(_).isEmpty).foreach { missing =>
      fs.mkdirs(missing)
      ownership.follow(root, missing)
    }
  }

  /** Takes the own folder away where nothing is in it, as after a statement that was refused. */
  def tidy(): Unit =
    if (list(own).forall(_.getPath == locks) && list(locks).isEmpty)
      // Only while they are empty: another statement may have begun.
      Seq(locks, own).foreach(f => Try(fs.delete(f, false)))

  /** Writes a small file in one step: whoever reads it finds all of it or no file. */
  def write(path: Path, content: Array[Byte]): Unit = {
    requireNoLink(path)
    val draft = new Path(path.getParent, s".${path.getName}.draft")
    overwrite(draft, content)
    ownership.follow(root, draft)
    if (!fs.rename(draft, path)) {
      fs.delete(draft, false)
      // Another that finishes the same work may have been faster.
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
