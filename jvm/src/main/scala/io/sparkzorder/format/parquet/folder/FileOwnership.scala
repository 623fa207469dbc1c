// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.{PosixFileAttributeView, PosixFilePermission}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.fs.permission.FsPermission

/** Gives new files and folders the owner, group and permissions of existing ones, as far as this user may. */
private[parquet] class FileOwnership(fs: FileSystem) {
  import FileOwnership._

  /**
   * @param model
   *   a file or a folder; a file does not take over a folder's permission to be entered
   * @param path
   *   the new file or folder
   */
  def copyTo(model: Path, path: Path): Unit =
    if (fs.getUri.getScheme == "file") copyLocal(local(model), local(path)) else copyRemote(model, path)

  private def copyRemote(model: Path, path: Path): Unit = {
    val (wanted, now) = (fs.getFileStatus(model), fs.getFileStatus(path))
    val permission =
      if (now.isDirectory || wanted.isFile) wanted.getPermission else wanted.getPermission.applyUMask(Enter)
    if (now.getPermission != permission) Try(fs.setPermission(path, permission))
    if (now.getOwner != wanted.getOwner) Try(fs.setOwner(path, wanted.getOwner, null))
    if (now.getGroup != wanted.getGroup) Try(fs.setOwner(path, null, wanted.getGroup))
  }

  /** Hadoop starts two processes for what these calls ask the system. */
  private def copyLocal(model: LocalPath, path: LocalPath): Unit =
    for (from <- view(model); to <- view(path)) {
      val (wanted, now) = (from.readAttributes(), to.readAttributes())
      val all = wanted.permissions.asScala.toSet
      val permissions = if (now.isDirectory || wanted.isRegularFile) all else all -- EnterLocal
      if (now.permissions.asScala.toSet != permissions) Try(to.setPermissions(permissions.asJava))
      if (now.owner != wanted.owner) Try(to.setOwner(wanted.owner))
      if (now.group != wanted.group) Try(to.setGroup(wanted.group))
    }

  private def view(path: LocalPath): Option[PosixFileAttributeView] =
    Option(Files.getFileAttributeView(path, classOf[PosixFileAttributeView]))
}

private[parquet] object FileOwnership {

  private val Enter = new FsPermission(Integer.parseInt("111", 8).toShort)

  private val EnterLocal: Set[PosixFilePermission] =
    Set(PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_EXECUTE)

  private def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)
}
