// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.nio.file.{NoSuchFileException, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS

import scala.collection.mutable
import scala.util.Try

import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

/**
 * The folders into which this process has moved files. They stay open: so it is seen what lies in them also while somebody
 * has exchanged them for others.
 */
private[folder] final class EnteredFolders extends AutoCloseable {
  import EnteredFolders._

  private val keys = mutable.HashMap.empty[LocalPath, AnyRef]
  private val opened = mutable.HashMap.empty[LocalPath, Folder]

  /** To be called with a folder that has a path, or had it a moment ago. */
  def add(path: LocalPath, folder: Folder): Unit = synchronized {
    if (!keys.contains(path)) {
      keys(path) = keyOf(folder)
      if (opened.size < MostOpen)
        Try(folder.newDirectoryStream(named("."), NOFOLLOW_LINKS)).foreach(f => opened(path) = f.asInstanceOf[Folder])
    }
  }

  /**
   * Whether a file lies in the one that had its folder's path. Where very many were entered, and that path leads to another
   * one by now, it is as if it did.
   *
   * @param now
   *   opens the folder that has the path by now
   */
  def hasFile(path: LocalPath, isRight: OpenedFile => Boolean)(now: (Folder => Boolean) => Boolean): Boolean =
    synchronized {
      def isIn(folder: Folder) =
        try OpenedFile.in(folder, path.getFileName, path.getParent)(isRight)
        catch { case _: NoSuchFileException => false }
      def isInNow(key: AnyRef) = Try(now(found => keyOf(found) != key || isIn(found))).getOrElse(true)
      keys.get(path.getParent).exists(key => opened.get(path.getParent).fold(isInNow(key))(isIn))
    }

  override def close(): Unit = synchronized {
    opened.values.foreach(_.close())
    opened.clear()
    keys.clear()
  }
}

private object EnteredFolders {

  // Each takes two descriptors.
  private val MostOpen = 64
}
