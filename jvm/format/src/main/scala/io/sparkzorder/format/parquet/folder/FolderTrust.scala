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
   * Something of what is kept of a table that belongs to none of those who may delete all of its files: the owner of its
   * folder, the user of this process, the superuser.
   *
   * @param kept
   *   folders of what is kept, each above the next; the files in the last are looked at, too
   * @return
   *   the first such path and its owner; None where the folder is none of those, and where no owner can be told
   */
  def stranger(kept: Seq[Path]): Option[(Path, String)] =
    if (!isLocal || !isShared(local(root))) None
    else {
      val trusted = (userOf(local(root)) ++ userOf(Me)).toSet + Superuser
      val folders = kept.map(local)
      (folders.iterator ++ folders.lastOption.iterator.flatMap(below)).flatMap { path =>
        userOf(path).filterNot(trusted).map(_ => new Path(root, local(root).relativize(path).toString) -> nameOf(path))
      }.nextOption()
    }

  private def below(folder: LocalPath): Seq[LocalPath] =
    Try(Using.resource(Files.newDirectoryStream(folder))(_.asScala.toList)).getOrElse(Nil)
}

private object FolderTrust {

  private val Superuser = 0

  // Of Linux; elsewhere the owner of the folder and the superuser are trusted.
  private val Me = Paths.get("/proc/self")

  // The sticky bit, and a right to write of the group or of all others.
  private val Sticky = Integer.parseInt("1000", 8)
  private val WriteOfMany = Integer.parseInt("022", 8)

  private def isShared(folder: LocalPath): Boolean = Try {
    val mode = Files.getAttribute(folder, "unix:mode").asInstanceOf[Int]
    (mode & Sticky) != 0 && (mode & WriteOfMany) != 0
  }.getOrElse(false)

  /** None where nothing is there. */
  private def userOf(path: LocalPath): Option[Int] =
    Try(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS).asInstanceOf[Int]).toOption

  private def nameOf(path: LocalPath): String =
    Try(Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).getName).getOrElse("another user")
}
