// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.IOException
import java.nio.file.{DirectoryNotEmptyException, Files, NoSuchFileException, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.BasicFileAttributes

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * The files of a table on a local disk, where the system can open a file by its name in an open folder.
 *
 * Each change goes through the folders from the table's own to the file's, each opened such that it cannot be a link:
 * to put a link in a folder's place between a look and a change gains nothing.
 */
private[folder] abstract class OpenedFolders(fs: FileSystem, root: Path) extends FolderFiles(fs, root) {

  // None where there was no folder yet.
  protected val keyOfRoot: Option[AnyRef] =
    Try(Files.readAttributes(local(root), classOf[BasicFileAttributes]).fileKey).toOption

  /** The folder is the one that the names lead to, whatever happens to the names. */
  protected def in[T](folder: Path)(body: Folder => T): T = in(folder, isSame = false)(body)

  // By which files are taken away just now; none where this process knows of itself that they are to go.
  @volatile private var documents = Seq.empty[Path]

  protected def word: Seq[Path] = documents

  override def isTrusting: Boolean = word.nonEmpty

  override def trusting[T](documents: Seq[Path])(body: => T): T = {
    this.documents = documents
    try body
    finally this.documents = Nil
  }

  /** Files in the own folders are those documents, or staged: these may have been moved there from elsewhere. */
  private def requireRight(way: List[(LocalPath, AnyRef)]): Unit = if (word.nonEmpty) {
    val own = local(new Path(root, TableFolder.Name))
    val inward = way.reverse
    val isRight = inward.map(_._1) match {
      case `own` :: below => !below.headOption.contains(own.resolve(TableFolder.Staging)) || mayName(word, inward)
      case _ => counts(word, inward)
    }
    if (!isRight)
      throw new UntrustedFolder(s"${way.head._1} is closed to some who may have written what names its files")
  }

  private def in[T](folder: Path, isSame: Boolean)(body: Folder => T): T = {
    // With the folders on the way, the innermost first.
    def descend(at: Folder, way: List[(LocalPath, AnyRef)], left: List[String]): T = left match {
      case Nil =>
        if (isSame) requireRight(way)
        body(at)
      case name :: rest =>
        Using.resource(opened(at, named(name))) { inner =>
          val place = way.headOption.fold(local(root))(_._1).resolve(name)
          descend(inner, if (isSame && word.nonEmpty) (place, keyOf(inner)) :: way else way, rest)
        }
    }
    val below = local(root).relativize(local(folder))
    val names = if (below.toString.isEmpty) Nil else below.iterator.asScala.map(_.toString).toList
    Using.resource(Files.newDirectoryStream(local(root)).asInstanceOf[Folder]) { top =>
      if (isSame && keyOfRoot.exists(_ != keyOf(top))) throw new IOException(s"$root leads to another folder by now")
      descend(top, Nil, names)
    }
  }

  protected def inParent[T](path: Path)(body: (Folder, LocalPath) => T): T =
    checked(path.getParent)(in(path.getParent)(body(_, named(path.getName))))

  /**
   * As [[inParent]], for what takes files away: the table's name may lead to another folder by now, as after a link was
   * changed or the folder was moved, and what lies there is another table's, also where it is a hard link to the same file.
   *
   * @throws IOException
   *   where it does
   */
  protected def inParentWhereSeen[T](path: Path)(body: (Folder, LocalPath) => T): T =
    checked(path.getParent)(in(path.getParent, isSame = true)(body(_, named(path.getName))))

  /** Likewise the table's own folder. */
  protected def inRootWhereSeen[T](body: Folder => T): T = in(root, isSame = true)(body)
}

/** Of a folder from which a document is to take files away that somebody may have written to whom it is closed. */
private[parquet] final class UntrustedFolder(message: String) extends IOException(message)

/**
 * An open folder in which something is deleted. Who may write into the table's folder may have moved there what they may not
 * delete, also since it was looked at, to have it deleted: so each folder is judged when it is open.
 *
 * @param place
 *   the path that led to it
 * @param isOurs
 *   whether nobody has put it where it is who could not delete all of the table
 * @param isReachable
 *   where it is not: whether all who may write into the table's folder may enter the folders around it that are not, either
 * @param word
 *   what of the table says which files are to go, and must count in their folders; empty where this process knows it
 * @param around
 *   the folders around this one in the table, from the outermost, each with its key
 * @param trust
 *   judges folders by their paths and keys
 */
private[folder] final class ClearedFolder(
    folder: Folder,
    place: LocalPath,
    isOurs: Boolean,
    isReachable: Boolean,
    word: Seq[Path],
    around: Seq[(LocalPath, AnyRef)],
    trust: FolderTrust) {

  private lazy val hasOnlyOurs = isOurs && trust.isOfTrustedAlone(place, keyOf(folder))

  private lazy val way = around :+ (place -> keyOf(folder))

  private lazy val isSaidRight = word.isEmpty || trust.mayName(word, way)

  private lazy val mayAll = isOurs || (isReachable && trust.mayAllDelete(place, keyOf(folder)))

  private def in[T](name: LocalPath)(body: ClearedFolder => T): T =
    Using.resource(folder.newDirectoryStream(name, NOFOLLOW_LINKS)) { inner =>
      val mayEnter = isOurs || (isReachable && trust.mayAllEnter(place, keyOf(folder)))
      body(new ClearedFolder(inner.asInstanceOf[Folder], place.resolve(name), hasOnlyOurs, mayEnter, word, way, trust))
    }

  /**
   * Deletes something with all that is in it.
   *
   * @param at
   *   its path below the folder that is cleared; empty for that itself
   * @param isOwn
   *   see [[FolderFiles.deleteAll]]
   * @return
   *   whether all of it is gone
   */
  def isDeleted(name: LocalPath, at: String, isOwn: ListedFile => Boolean): Boolean =
    try {
      val found = viewOf(folder, name).readAttributes()
      def isOwnFile = isOwn(ListedFile(at, found.size, found.lastModifiedTime.toMillis))
      if (found.isDirectory) {
        in(name)(_.clear(at, isOwn))
        folder.deleteDirectory(name)
        true
      } else (mayAll || (isOwnFile && isSaidRight)) && {
        folder.deleteFile(name)
        true
      }
    } catch {
      case _: NoSuchFileException => true
      case _: DirectoryNotEmptyException => false
    }

  /** What lies beside something that cannot be deleted goes. */
  private def clear(at: String, isOwn: ListedFile => Boolean): Unit = {
    val tries = namesIn(folder).map(n => Try(isDeleted(n, if (at.isEmpty) s"$n" else s"$at/$n", isOwn)))
    tries.foreach(_.get)
  }

  /** As [[isDeleted]], of what some names lead to from here. */
  def isCleared(names: List[LocalPath], isOwn: ListedFile => Boolean): Boolean = names match {
    case List(name) => isDeleted(name, "", isOwn)
    case name :: rest => in(name)(_.isCleared(rest, isOwn))
    case Nil => false
  }
}
