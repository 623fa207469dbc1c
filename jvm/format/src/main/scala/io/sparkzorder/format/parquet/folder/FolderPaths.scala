// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{File, IOException}
import java.nio.file.{Files, Path => LocalPath}
import java.util.Locale

import scala.util.Try

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.access.MountPoints

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.fs.CommonPathCapabilities.{FS_ACLS, FS_PERMISSIONS}
import org.apache.hadoop.fs.viewfs.ViewFileSystem

/**
 * The paths below a table's folder, and what its file system can do.
 *
 * Whoever may write into a table's folder must not act with the rights of whoever runs a statement. So no operation
 * passes a link: no part of a path below the table's folder is one. Of the file systems of Hadoop only local disks have
 * links, and each operation looks for them first.
 *
 * @param root
 *   the table's folder, qualified; what is above it is nobody's who may write into the table
 */
private[folder] abstract class FolderPaths(protected val fs: FileSystem, protected val root: Path) {

  protected val isLocal: Boolean = fs.getUri.getScheme == "file"

  protected def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)

  /** @throws ZOrderRuntimeException where a part of the path is a link */
  def requireNoLink(path: Path): Unit =
    if (hasLink(path)) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)

  def hasLink(path: Path): Boolean = isLocal && hasLink(local(path))

  protected def hasLink(file: LocalPath): Boolean = {
    val top = local(root)
    file.startsWith(top) && Iterator.iterate(file)(_.getParent).takeWhile(_ != top).exists(Files.isSymbolicLink(_))
  }

  /**
   * Where the links lead that are in the path of the table's folder; None where there are none. What cannot be found here
   * cannot be read either.
   */
  def realRoot: Option[Path] =
    if (!isLocal) None
    else
      try Some(new Path(
          root.toUri.getScheme,
          root.toUri.getAuthority,
          local(root).toRealPath().toString)).filter(_ != root)
      catch { case _: IOException => None }

  private lazy val mounts: Seq[LocalPath] =
    if (isLocal) Try(MountPoints.below(local(root).toRealPath())).getOrElse(Nil) else Nil

  /** The place of a file system that is mounted at a folder of the table, or at one above it in the table. */
  def mountOf(folder: Path): Option[String] =
    if (mounts.isEmpty) None
    else Try(local(folder).toRealPath()).toOption.flatMap(real => mounts.find(real.startsWith(_)).map(_.toString))

  private val prefix = root.toUri.getPath.stripSuffix("/") + "/"

  /** Whatever a path was made of: text that was read from a file of the log, for one. */
  private def isWithin(path: Path): Boolean = {
    val text = path.toUri.getPath
    (text + "/" == prefix || text == prefix || text.startsWith(prefix)) && !text.split('/').contains("..")
  }

  /** Whether a local folder is there and this user may not look into it. */
  def isClosed(folder: Path): Boolean = isLocal && {
    val file = local(folder)
    Files.isDirectory(file) && !(Files.isReadable(file) && Files.isExecutable(file))
  }

  /**
   * The encoding of names of local files, where it is not UTF-8, as in the locale `C`: Java then finds files by other names
   * than processes of other locales, or not at all.
   */
  def otherEncoding: Option[String] =
    Option(System.getProperty("sun.jnu.encoding")).filter(_ => isLocal && File.separatorChar == '/')
      .filterNot(e => Set("UTF-8", "UTF8")(e.toUpperCase(Locale.ROOT)))

  protected def checked[T](paths: Path*)(body: => T): T = {
    paths.foreach { path =>
      if (!isWithin(path)) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
      requireNoLink(path)
    }
    body
  }

  /** Whether folders are but the beginnings of names. */
  lazy val isStore: Boolean = !isLocal && !hasPermissions

  /** See [[TableFolder.mountedScheme]]. */
  def mountedScheme: Option[String] = fs match {
    case mounts: ViewFileSystem => Some(mounts.resolvePath(root).toUri.getScheme)
    case _ => None
  }

  protected lazy val hasPermissions = has(FS_PERMISSIONS)
  protected lazy val hasAcls = has(FS_ACLS)

  /** Whether the file system says that it can do something. */
  def has(capability: String): Boolean = Try(fs.hasPathCapability(root, capability)).getOrElse(false)
}
