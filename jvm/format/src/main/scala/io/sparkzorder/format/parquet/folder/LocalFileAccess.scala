// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.PosixFileAttributes

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.ZOrderErrors
import io.sparkzorder.format.parquet.folder.access.{
  Access,
  KeptAccess,
  LocalAccess,
  NewAccess,
  OwnFiles,
  UnixAttributes
}
import io.sparkzorder.format.parquet.folder.opened.{CreatedFile, LocalIdentity, OpenedFile, OpenedFolder, OwnFolder}
import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

import org.apache.hadoop.fs.{FileSystem, Path}

/** Who may read and write the files of a table on a local disk; what is asked and given by no path that could be a link. */
private[folder] abstract class LocalFileAccess(fs: FileSystem, root: Path) extends OpenedFolders(fs, root) {

  override def accessOf(path: Path): Option[Access] =
    if (local(path) == local(root)) Some(LocalAccess.of(local(root)))
    else Try(inParent(path)(viewOf(_, _).readAttributes())).toOption.map(LocalAccess.of)

  /** By one descent: somebody may exchange a folder for one that is more open, and back. */
  override def accessesTo(file: Path, folders: Int, identity: Option[String]): Option[List[Access]] = Try {
    val names = local(root).relativize(local(file)).iterator.asScala.toList
    def descend(folder: Folder, left: List[LocalPath], way: List[PosixFileAttributes]): Option[List[Access]] =
      left match {
        case List(name) =>
          val found = viewOf(folder, name).readAttributes()
          Option.when(isVery(found, file, identity))((found :: way).take(folders + 1).map(LocalAccess.of))
        case name :: rest =>
          Using.resource(opened(folder, name))(inner => descend(inner, rest, viewOf(inner).readAttributes() :: way))
        case Nil => None
      }
    in(root)(descend(_, names, Nil))
  }.toOption.flatten

  /** Whether what was found in an open folder is the file of an identity, which is looked at by its path. */
  protected def isVery(found: PosixFileAttributes, path: Path, identity: Option[String]): Boolean =
    identity.forall { known =>
      LocalIdentity.keyed(local(path)).exists { case (key, now) =>
        key == found.fileKey && LocalIdentity.areOfOneFile(known, now)
      }
    }

  override def accessOfKept(): Seq[Access] = in(root) { folder =>
    val accesses = new UnixAttributes.Accesses
    val names = namesIn(folder).filter(_.toString != TableFolder.Name)
    KeptAccess.of(LocalAccess.of(local(root)), names.map(new Entry(folder, local(root), _, accesses)))
  }

  override def accessOfListed(listed: Iterable[(String, Option[Long])]): Option[Seq[Access]] = {
    val accesses = new UnixAttributes.Accesses
    def ofFile(folder: Folder, place: LocalPath, name: LocalPath, known: Option[Long]): Access = {
      val found = viewOf(folder, name).readAttributes()
      def byPath = LocalIdentity.keyed(place.resolve(name)).filter(_._1 == found.fileKey)
      val now = UnixAttributes.state(found).orElse(byPath.flatMap { case (_, identity) =>
        LocalIdentity.state(identity)
      })
      if (found.isRegularFile && known.exists(now.contains)) accesses.of(found) else Access.ofMe
    }
    def of(
        folder: Folder,
        place: LocalPath,
        access: Access,
        below: Iterable[(List[String], Option[Long])]): Seq[Access] =
      below.groupBy(_._1.head).toSeq.flatMap { case (name, its) =>
        def inner = Using.resource(opened(folder, named(name))) { inner =>
          val there = place.resolve(name)
          val ofInner = LocalAccess.withSticky(there, LocalAccess.of(viewOf(inner).readAttributes()))
          of(inner, there, ofInner, its.map { case (path, known) => (path.tail, known) }).map(_.namedIn(ofInner))
        }
        val (_, known) = its.head
        def found =
          if (its.head._1.tail.isEmpty) Seq(ofFile(folder, place, named(name), known).deletedIn(access)) else inner
        Try(found).getOrElse(Seq(Access.ofMe))
      }.distinct
    Some(in(root)(of(
      _,
      local(root),
      LocalAccess.of(local(root)),
      listed.map { case (path, known) =>
        (path.split('/').toList, known)
      })))
  }

  private final class Entry(folder: Folder, place: LocalPath, named: LocalPath, accesses: UnixAttributes.Accesses)
      extends KeptAccess.Entry(named.toString) {

    private lazy val found = viewOf(folder, named).readAttributes()

    override def isHidden: Boolean = TableFolder.isHidden(name)

    override def isFile: Boolean = found.isRegularFile

    override def access: Access = accesses.of(found)

    override def inFolder[T](body: (Access, Iterable[KeptAccess.Entry]) => T): Option[T] =
      Option.when(found.isDirectory)(Using.resource(folder.newDirectoryStream(named, NOFOLLOW_LINKS)) { stream =>
        val (inner, there) = (stream.asInstanceOf[Folder], place.resolve(named))
        body(
          LocalAccess.withSticky(there, access),
          namesIn(inner).map(new Entry(inner, there, _, accesses)))
      })
  }

  override def protectFolderOf(file: Path, identity: Option[String], access: Access): Unit =
    inParent(file.getParent) { (folder, name) =>
      Using.resource(opened(folder, name)) { inner =>
        // Sums of older versions may have been left.
        def isSums(name: String) = name.startsWith(".") && name.endsWith(".crc")
        val isAlone = namesIn(inner).filterNot(n => isSums(n.toString)) == List(named(file.getName))
        if (isAlone && isVery(viewOf(inner, named(file.getName)).readAttributes(), file, identity))
          LocalAccess.give(viewOf(inner), access)
      }
    }

  override def protectOwn(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    val of = if (path == new Path(root, TableFolder.Name)) "" else path.getName
    Using.resource(opened(folder, name)) { inner =>
      val view = viewOf(inner)
      val isOpened = LocalAccess.of(view.readAttributes()).isOpenedBy(access)
      def isInTable(file: String) = Files.exists(local(root).resolve(file), NOFOLLOW_LINKS)
      if (!isOpened || new OwnFolder(inner, of, local(path), isInTable).isOurs) LocalAccess.give(view, access)
      else LocalAccess.narrow(view, access)
    }
  }

  override def protectStaged(path: Path, access: NewAccess)(isStaged: (String, String) => Boolean): Unit =
    inStaged(path, access) { (folder, name, access) =>
      withSums(name) { one =>
        def isOfSums(file: OpenedFile) = file.start(CreatedFile.StartOfSums.length).forall(CreatedFile.isStartOfSums)
        def isRight(file: OpenedFile) = (one == name || isOfSums(file)) &&
          file.asked(LocalIdentity.identity(_, _)).exists(isStaged(one.toString, _))
        OpenedFile.in(folder, one, local(path.getParent)) { file =>
          // Somebody may have put there another one, or one of the names of a file elsewhere.
          if (!isRight(file) || !file.hasOneName) throw isElsewhere(path, one)
          LocalAccess.give(file.view, access)
        }
      }
    }

  /** Whoever owns the folder around that of a statement may put one of their own in its place, and look into that. */
  private def inStaged[T](path: Path, access: NewAccess)(body: (Folder, LocalPath, Access) => T): T = {
    val staging = new Path(root, s"${TableFolder.Name}/${TableFolder.Staging}")
    val run :: below = local(staging).relativize(local(path)).iterator.asScala.toList
    checked(path.getParent)(in(staging) { folder =>
      if (below.isEmpty) body(folder, run, access.opened)
      else Using.resource(opened(folder, run)) { made =>
        val now = if (isAsClosed(made, access, access.closed.ofFolder)) access.opened else access.closed
        OpenedFolder.in(made, below.init)(body(_, below.last, now))
      }
    })
  }

  /**
   * Whether nobody may enter a folder that is open who may not read what is made of some files, but those who may enter one
   * of `ofFolder`.
   */
  protected def isAsClosed(folder: Folder, access: NewAccess, ofFolder: Access): Boolean = {
    val found = viewOf(folder).readAttributes()
    // Of whoever may enter it some may also write there, by the log, and see no more.
    isReader(found.owner.getName)(access.isReadBy) && LocalAccess.isNarrow(found, ofFolder.ofEntering)
  }

  /** Whether somebody may read what this process may, or of whom that is known. */
  protected def isReader(user: String)(may: String => Boolean): Boolean =
    user == LocalAccess.Me || may(user) || isSuperuser(user)

  private def isElsewhere(path: Path, name: LocalPath) =
    ZOrderErrors.pathOutsideTable(local(path.getParent).resolve(name).toString, root.toString)

  override def narrow(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    withSums(name) { one =>
      val found = viewOf(folder, one).readAttributes()
      // Pipes, sockets and links have no content.
      if (found.isOther || found.isSymbolicLink || LocalAccess.isNarrow(found, access)) ()
      else if (isFolder(folder, one)) Using.resource(opened(folder, one))(in => LocalAccess.narrow(viewOf(in), access))
      else narrowIn(folder, one, local(path.getParent), access)
    }
  }

  /** As [[narrow]], of a file right in an open folder. */
  protected def narrowIn(folder: Folder, name: LocalPath, place: LocalPath, access: Access): Unit =
    OpenedFile.in(folder, name, place)(file => if (file.hasOneName) LocalAccess.narrow(file.view, access))

  override def isOpened(path: Path, access: Access)(isRight: Array[Byte] => Boolean): Boolean =
    inParent(path) { (folder, name) =>
      def isOpened(name: LocalPath)(isRight: Array[Byte] => Boolean) = {
        val found = viewOf(folder, name).readAttributes()
        // A document that somebody has made is read to its end.
        found.isRegularFile && found.size <= OwnFiles.LargestDocument && OpenedFile.in(
          folder,
          name,
          local(path.getParent)) {
          file =>
            val is = file.start(OwnFiles.LargestDocument.toInt).exists(isRight)
            val isToOpen =
              is && file.hasOneName && LocalAccess.isToOpen(LocalAccess.of(file.view.readAttributes()), access)
            if (isToOpen) LocalAccess.give(file.view, access)
            is
        }
      }
      var content = Array.emptyByteArray
      val is = isOpened(name) { document =>
        content = document
        isRight(document)
      }
      // And somebody may have given the name of its sums to another file, as to sums of what they may not read.
      if (is) ofSums(name)(isOpened(_)(CreatedFile.areSumsOf(content)): Unit): Unit
      is
    }
}
