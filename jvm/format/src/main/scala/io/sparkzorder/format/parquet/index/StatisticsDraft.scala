// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.index

import scala.util.control.NonFatal

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.TableFolder

import org.apache.hadoop.fs.Path

/**
 * A version of a statistics index while it is written. Parquet's writer makes a file as the umask has it, and a process may
 * sleep in it for as long as it likes while the data files become more private. So it lies in a folder that nobody else may
 * enter, among staged files, which the next statement takes away.
 *
 * @param version
 *   the path that it is to have
 */
private[index] final class StatisticsDraft(folder: TableFolder, version: Path) {

  /**
   * @param write
   *   writes the file at a path, and gives it its access; answers with its identity, where it is known
   * @return
   *   that identity
   * @throws ZOrderRuntimeException
   *   where it cannot be moved, and where another statement has taken it away
   */
  def publish(write: Path => Option[String]): Option[String] =
    // A store shows a file when it is whole.
    if (folder.hasConditionalWrites) orDelete(version)(write(version))
    // It has no permissions, and a folder there is an object.
    else if (folder.isStore) {
      val draft = new Path(version.getParent, s".${version.getName}${StatisticsDraft.Ending}")
      orDelete(draft) {
        val identity = write(draft)
        move(draft, None)
        identity
      }
    } else {
      // No id of a rewrite.
      val closed = new Path(folder.staging, s".statistics-${StatisticsFileIO.unique()}")
      folder.makeClosed(closed)
      try {
        val draft = new Path(closed, version.getName)
        folder.requireNoLink(draft)
        val identity = write(draft)
        move(draft, identity)
        identity
      } catch {
        case NonFatal(_) if folder.status(closed).isEmpty => throw ZOrderErrors.rewriteOvertaken(folder.root.toString)
      } finally folder.removeAll(closed, _.path.contains(version.getName), isOurs = true)
    }

  private def move(draft: Path, identity: Option[String]): Unit = {
    folder.requireNoLink(version)
    if (!folder.rename(draft, version, identity)) throw ZOrderErrors.cannotMove(draft.toString, version.toString)
  }

  private def orDelete[T](path: Path)(body: => T): T = {
    folder.requireNoLink(path)
    try body
    catch {
      case NonFatal(e) =>
        folder.delete(path)
        throw e
    }
  }
}

private[index] object StatisticsDraft {

  private val Ending = ".draft"

  /** Whether a file in the folder of the index is a draft that a store, or an older build, has left. */
  def isLeft(path: Path): Boolean = path.getName.startsWith(".") && path.getName.endsWith(Ending)
}
