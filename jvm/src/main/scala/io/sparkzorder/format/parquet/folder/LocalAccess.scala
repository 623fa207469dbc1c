// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{FileSystems, Files, Path}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.{PosixFileAttributeView, PosixFileAttributes, PosixFilePermissions}

import scala.util.Try

import org.apache.hadoop.fs.permission.FsPermission

/** Access to files on a local disk, without the processes that Hadoop starts for each. */
private[folder] object LocalAccess {

  private val AllBits = Integer.parseInt("777", 8)

  def of(file: Path): Access = of(Files.readAttributes(file, classOf[PosixFileAttributes]))

  def of(a: PosixFileAttributes): Access = {
    val permission = FsPermission.valueOf("-" + PosixFilePermissions.toString(a.permissions))
    Access.of(a.owner.getName, a.group.getName, permission, Nil)
  }

  def give(file: Path, access: Access): Unit =
    give(Files.getFileAttributeView(file, classOf[PosixFileAttributeView], NOFOLLOW_LINKS), access)

  /** Gives no more than this access, as far as this user may: also some file systems have what nobody can change. */
  def give(file: PosixFileAttributeView, access: Access): Unit = {
    val users = FileSystems.getDefault.getUserPrincipalLookupService
    val before = file.readAttributes()
    access.group.filter(_ != before.group.getName)
      .foreach(g => Try(file.setGroup(users.lookupPrincipalByGroupName(g))))
    access.owner.filter(_ != before.owner.getName).foreach(o => Try(file.setOwner(users.lookupPrincipalByName(o))))
    val isOfGroup = access.group.forall(_ == file.readAttributes().group.getName)
    val wanted = (if (isOfGroup) access else access.ofNoGroup).permission.toShort & AllBits
    val permissions = PosixFilePermissions.fromString(new FsPermission(wanted.toShort).toString)
    if (before.permissions != permissions) Try(file.setPermissions(permissions)): Unit
  }
}
