// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{FileSystems, Files, Path}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.{PosixFileAttributeView, PosixFileAttributes, PosixFilePermissions}
import java.security.Principal

import scala.util.Try

import org.apache.hadoop.fs.permission.FsPermission

/** Access to files on a local disk, without the processes that Hadoop starts for each. */
private[folder] object LocalAccess {
  import PermissionBits.{All, SetGroup, Sticky}

  /** The user of this process, as owners of files are named. */
  val Me: String = System.getProperty("user.name")

  def of(file: Path): Access = withSticky(file, of(Files.readAttributes(file, classOf[PosixFileAttributes])))

  /** With the bit that Java's other attributes of a file do not have. */
  def withSticky(file: Path, access: Access): Access = {
    val sticky = Files.getAttribute(file, "unix:mode").asInstanceOf[Int] & Sticky
    access.copy(permission = new FsPermission((access.permission.toShort | sticky).toShort))
  }

  /** The group that a folder gives to what is created in it; None where it gives none. */
  def groupOfNew(folder: Path): Option[String] = Try {
    val found = Files.readAttributes(folder, "unix:mode,group", NOFOLLOW_LINKS)
    if ((found.get("mode").asInstanceOf[Int] & SetGroup) == 0) None
    else Some(found.get("group").asInstanceOf[Principal].getName)
  }.toOption.flatten

  def of(a: PosixFileAttributes): Access = {
    val permission = FsPermission.valueOf("-" + PosixFilePermissions.toString(a.permissions))
    Access.of(a.owner.getName, a.group.getName, permission, Nil)
  }

  /** Whether a file is of the wanted owner; where any will do, of the wanted group or of this process's user. */
  def isToOpen(file: Access, wanted: Access): Boolean =
    wanted.owner.fold(wanted.group.forall(file.group.contains) || file.owner.contains(Me))(file.owner.contains)

  /** Whether a path leads to the file of this key, which has no other name elsewhere. */
  def isOnlyName(file: Path, key: AnyRef): Boolean = {
    val found = Files.readAttributes(file, "unix:fileKey,nlink,isRegularFile", NOFOLLOW_LINKS)
    found.get("fileKey") == key && found.get("nlink") == 1 && found.get("isRegularFile") == true
  }

  def give(file: Path, access: Access): Unit =
    give(Files.getFileAttributeView(file, classOf[PosixFileAttributeView], NOFOLLOW_LINKS), access)

  /** Gives no more than this access, as far as this user may: also some file systems have what nobody can change. */
  def give(file: PosixFileAttributeView, access: Access): Unit = {
    val users = FileSystems.getDefault.getUserPrincipalLookupService
    val before = file.readAttributes()
    access.group.filter(_ != before.group.getName)
      .foreach(g => Try(file.setGroup(users.lookupPrincipalByGroupName(g))))
    access.newOwner.filter(_ != before.owner.getName).foreach(o => Try(file.setOwner(users.lookupPrincipalByName(o))))
    val isOfGroup = access.group.forall(_ == file.readAttributes().group.getName)
    val wanted = (if (isOfGroup) access else access.ofNoGroup).permission.toShort & All
    val permissions = PosixFilePermissions.fromString(new FsPermission(wanted.toShort).toString)
    if (before.permissions != permissions) Try(file.setPermissions(permissions)): Unit
  }

  /** Whether nothing goes beyond an access. */
  def isNarrow(found: PosixFileAttributes, access: Access): Boolean = narrowed(found, access).isEmpty

  /** Takes what goes beyond an access, as far as this user may. */
  def narrow(file: PosixFileAttributeView, access: Access): Unit =
    narrowed(file.readAttributes(), access).foreach(bits => Try(file.setPermissions(bits)))

  private def narrowed(found: PosixFileAttributes, access: Access) = {
    val wanted = of(found).narrowedTo(access).permission.toShort & All
    val permissions = PosixFilePermissions.fromString(new FsPermission(wanted.toShort).toString)
    Some(permissions).filter(_ != found.permissions)
  }
}
