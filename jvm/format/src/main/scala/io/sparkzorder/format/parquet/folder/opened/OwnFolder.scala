// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.nio.file.{Path => LocalPath}

import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.access.{Access, LocalAccess, OwnFiles}
import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

/**
 * A folder that is open and has the name of `_zorder`, or of one in it. Somebody may have given that name to one that is
 * closed to them, to have it opened.
 *
 * @param name
 *   its name in `_zorder`; empty for `_zorder` itself
 * @param place
 *   the path of its name
 * @param isInTable
 *   whether the table has a file, by its path
 */
private[folder] final class OwnFolder(
    folder: Folder,
    name: String,
    place: LocalPath,
    isInTable: String => Boolean) {

  private lazy val names = namesIn(folder).map(_.toString)

  /**
   * Whether documents in it show that it is this table's, and nothing else in it is seen, when it is opened, that is not seen now:
   * what would be is closed.
   */
  def isOurs: Boolean = Try {
    names.forall(OwnFiles.isKnown(name, _)) && hasDocuments &&
    names.forall(isSeenByNone(_, LocalAccess.of(viewOf(folder).readAttributes())))
  }.getOrElse(false)

  private def hasDocuments: Boolean = name match {
    case "" =>
      val inner = names.filter(of => isFolder(folder, named(of)))
      // Of these alone it is known of which table they are.
      val sure = inner.filter(ofRewrites)
      (if (sure.isEmpty) inner else sure).exists(in(_)(_.hasDocuments))
    // One may be of this statement.
    case "locks" => false
    case "statistics" => names.exists(_.endsWith(".index"))
    case "runs" => names.nonEmpty && names.forall(content(_).exists(OwnFiles.isNumber))
    case _ => names.exists(of => content(of).exists(c => isDocument(of, c) && OwnFiles.added(c).exists(isInTable)))
  }

  private val ofRewrites = Set("log", "replaced")

  /** @param now who may enter the outermost folder, which is to be opened */
  private def isSeenByNone(of: String, now: Access): Boolean = {
    def found = viewOf(folder, named(of)).readAttributes()
    def isShut = now.shuts(LocalAccess.of(found))
    def isKnown = OwnFiles.isKnown(name, of) &&
      (if (found.isDirectory) in(of)(inner => inner.names.forall(inner.isSeenByNone(_, now)))
       else found.isRegularFile && (found.size == 0 || content(of).exists(isDocument(of, _))))
    isShut || isKnown || {
      close(of, now)
      // Another user's file, which this one cannot close, was made where others could see it.
      isShut || found.owner.getName != LocalAccess.Me
    }
  }

  private def close(of: String, now: Access): Unit =
    if (isFolder(folder, named(of)))
      Using.resource(opened(folder, named(of)))(inner => LocalAccess.narrow(viewOf(inner), now))
    else
      OpenedFile.in(folder, named(of), place) { file =>
        if (file.hasOneName) LocalAccess.narrow(file.view, now.ofFile)
      }

  private def in[T](inner: String)(body: OwnFolder => T): T =
    Using.resource(opened(folder, named(inner)))(open =>
      body(new OwnFolder(open, inner, place.resolve(inner), isInTable)))

  private def isDocument(of: String, content: Array[Byte]): Boolean =
    OwnFiles.isDocument(name, of, content, names, this.content)

  private def content(of: String): Option[Array[Byte]] = Try {
    require(viewOf(folder, named(of)).readAttributes().size <= OwnFiles.LargestDocument)
    Using.resource(channelOf(folder, named(of)))(startOf(_, OwnFiles.LargestDocument.toInt))
  }.toOption
}
