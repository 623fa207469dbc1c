// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{Files, LinkOption, Path => LocalPath, Paths}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import org.apache.hadoop.fs.Path

/**
 * Whose word on a table's files counts. In a folder with the sticky bit, into which many may write, each may delete what
 * is theirs and nothing of another. There a log that somebody made up would have files of others deleted by whoever runs
 * the next statement, and a statistics index would hide rows.
 */
private[folder] trait FolderTrust { self: FolderPaths =>
  import FolderTrust._

  /**
   * Something of what is kept of a table that belongs to none of those who may delete all of its files (the owner of its
   * folder, the user of this process, the superuser), or that others than its owner may write: then anybody may have written
   * it, also where the owner has made it, or has brought it from a folder of their own.
   *
   * @param kept
   *   folders of what is kept; what lies right in them is looked at, too
   * @return
   *   the first such path and what is wrong with it; None where the table's folder is none of those, and where nothing can be
   *   told of owners
   */
  def fault(kept: Seq[Path]): Option[(Path, String)] =
    if (!isLocal || !isShared(local(root))) None
    else {
      val trusted = (attributes(local(root)) ++ attributes(Me)).map(_.user).toSet + Superuser
      kept.map(local).iterator.flatMap(folder => Iterator(folder) ++ below(folder)).flatMap { path =>
        attributes(path).flatMap(faultOf(path, _, trusted))
          .map(new Path(root, local(root).relativize(path).toString) -> _)
      }.nextOption()
    }
}

private object FolderTrust {

  private final case class Attributes(user: Int, mode: Int, isLink: Boolean)

  private val Superuser = 0

  // Of Linux; elsewhere the owner of the folder and the superuser are trusted.
  private val Me = Paths.get("/proc/self")

  private def bits(octal: String): Int = Integer.parseInt(octal, 8)

  private val Sticky = bits("1000")
  private val WriteOfGroup = bits("020")
  private val WriteOfOthers = bits("002")

  /** The sticky bit, and a right to write of the group or of all others. */
  private def isShared(folder: LocalPath): Boolean = Try {
    val mode = Files.getAttribute(folder, "unix:mode").asInstanceOf[Int]
    (mode & Sticky) != 0 && (mode & (WriteOfGroup | WriteOfOthers)) != 0
  }.getOrElse(false)

  private def faultOf(path: LocalPath, found: Attributes, trusted: Set[Int]): Option[String] = {
    def may(bit: Int) = !found.isLink && (found.mode & bit) != 0
    if (!trusted(found.user)) Some(s"belongs to ${nameOf(path)}")
    else if (may(WriteOfOthers)) Some("may be written by everybody")
    else if (may(WriteOfGroup)) Some(s"may be written by its group${groupOf(path).fold("")(g => s", $g")}")
    else None
  }

  /** None where nothing is there. */
  private def attributes(path: LocalPath): Option[Attributes] = Try {
    val found = Files.readAttributes(path, "unix:uid,mode,isSymbolicLink", LinkOption.NOFOLLOW_LINKS)
    Attributes(
      found.get("uid").asInstanceOf[Int],
      found.get("mode").asInstanceOf[Int],
      found.get("isSymbolicLink").asInstanceOf[Boolean])
  }.toOption

  private def nameOf(path: LocalPath): String =
    Try(Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName).getOrElse("another user")

  private def groupOf(path: LocalPath): Option[String] =
    Try(Files.getAttribute(path, "unix:group", LinkOption.NOFOLLOW_LINKS).toString).toOption

  private def below(folder: LocalPath): Seq[LocalPath] =
    Try(Using.resource(Files.newDirectoryStream(folder))(_.asScala.toList)).getOrElse(Nil)
}
