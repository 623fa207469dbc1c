// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.IOException
import java.nio.file.{Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.PosixFileAttributes

import scala.collection.mutable
import scala.util.Try

import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

/**
 * The folders into which new files of a rewrite went, open: so it is seen what lies in them also while somebody has
 * exchanged them for others.
 */
private[folder] final class HeldFolders {
  import HeldFolders._

  private val held = mutable.HashMap.empty[LocalPath, Folder]

  def has(path: LocalPath): Boolean = synchronized(held.contains(path))

  /**
   * Holds a folder, if there are few yet, and it can be opened: elsewhere it goes unnoticed that it is exchanged.
   *
   * @param path
   *   one that leads to it, or did a moment ago
   */
  def add(path: LocalPath, folder: Folder): Unit = synchronized {
    if (!held.contains(path) && held.size < Most)
      Try(folder.newDirectoryStream(named("."), NOFOLLOW_LINKS)).foreach(f => held(path) = f.asInstanceOf[Folder])
  }

  /** Attributes of a file in the folder that is held by its folder's path; None where it is not there, or no folder is held. */
  def find(path: LocalPath): Option[PosixFileAttributes] = synchronized {
    held.get(path.getParent).flatMap { folder =>
      // Of a folder that another machine has deleted, NFS says something else than that there is no such file.
      try Some(viewOf(folder, path.getFileName).readAttributes())
      catch { case _: IOException => None }
    }
  }

  def release(path: LocalPath): Unit = synchronized(held.remove(path).foreach(f => Try(f.close())))

  def releaseAll(): Unit = synchronized(held.keys.toSeq.foreach(release))
}

private object HeldFolders {

  // Each takes two descriptors.
  private val Most = 64
}
