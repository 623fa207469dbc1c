// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.access

import java.nio.file.{Files, LinkOption, Path}

import scala.util.Try

/**
 * Who owns a file or folder on a local disk, and what others may do to it by its mode.
 *
 * @param key
 *   distinguishes it from all others that are there
 */
private[folder] final case class OwnerAndMode(
    user: Int,
    group: Int,
    mode: Int,
    isLink: Boolean,
    isFolder: Boolean,
    key: AnyRef) {
  import OwnerAndMode._
  import PermissionBits.{Execute, SetGroup, Sticky, Write}

  def isSticky: Boolean = (mode & Sticky) != 0

  /** Whether what is made in the folder gets its group, whosever it is. */
  def givesGroup: Boolean = (mode & SetGroup) != 0

  /** Whether others than its owner may write it. */
  def isShared: Boolean = Classes.exists(mayWrite)

  def mayWrite(of: Class): Boolean = may(Write, of)

  private def may(right: Int, of: Class): Boolean = !isLink && (mode & right & of) != 0

  /** Without the group's right to write. */
  def closedToGroup: OwnerAndMode = copy(mode = mode & ~(Write & OfGroup))

  /** Whether a class may enter the folder: of those who are in a group, or in none. */
  def mayEnter(of: Class, group: Int): Boolean = all(of, group)(may(Execute, _))

  /** Whether they may delete what is in the folder, whosever it is. */
  def mayDelete(of: Class, group: Int): Boolean = !isSticky && mayEnter(of, group) && all(of, group)(mayWrite)

  // Of another group, they are in this one or in none.
  private def all(of: Class, group: Int)(may: Class => Boolean) =
    if (group == this.group) may(of) else Classes.forall(may)

  /** Those who may write a file, as classes of those who are in a group, or in none. */
  def writers(group: Int): Seq[Class] = Classes.filter(mayWrite) match {
    case Seq() => Nil
    case found => if (group == this.group) found else Classes
  }
}

private[folder] object OwnerAndMode {

  /** The bits of some users. */
  type Class = Int
  val OfGroup: Class = PermissionBits.OfGroup
  val OfOthers: Class = PermissionBits.OfOthers
  val Classes: Seq[Class] = Seq(OfGroup, OfOthers)

  /** None where nothing is there, and where the file system has no such attributes. */
  def of(path: Path, isFollowed: Boolean = false): Option[OwnerAndMode] = Try {
    val found =
      Files.readAttributes(path, "unix:uid,gid,mode,isSymbolicLink,isDirectory,fileKey", links(isFollowed): _*)
    OwnerAndMode(
      found.get("uid").asInstanceOf[Int],
      found.get("gid").asInstanceOf[Int],
      found.get("mode").asInstanceOf[Int],
      found.get("isSymbolicLink").asInstanceOf[Boolean],
      found.get("isDirectory").asInstanceOf[Boolean],
      found.get("fileKey")
    )
  }.toOption

  def ownersName(path: Path, isFollowed: Boolean = false): Option[String] =
    Try(Files.getOwner(path, links(isFollowed): _*).getName).toOption

  def groupsName(path: Path, isFollowed: Boolean = false): Option[String] =
    Try(Files.getAttribute(path, "unix:group", links(isFollowed): _*).toString).toOption

  private def links(isFollowed: Boolean) = if (isFollowed) Nil else Seq(LinkOption.NOFOLLOW_LINKS)
}
