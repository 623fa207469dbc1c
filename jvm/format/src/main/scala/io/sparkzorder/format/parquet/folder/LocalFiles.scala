// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file._
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, SYNC, WRITE}
import java.nio.file.attribute.{
  BasicFileAttributeView,
  BasicFileAttributes,
  PosixFileAttributeView,
  PosixFilePermissions
}
import java.util.UUID

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.UnexpectedError

import org.apache.hadoop.fs.{FileSystem, FilterFileSystem, Path, RawLocalFileSystem}

/**
 * The files of a table on a local disk, where the system can open a file by its name in an open folder.
 *
 * Each change goes through the folders from the table's own to the file's, each opened such that it cannot be a link:
 * to put a link in a folder's place between a look and a change gains nothing. Hadoop's file system, which goes by whole
 * paths, is used to look only; the sums that it keeps beside a file go with the file.
 */
private[folder] final class LocalFiles(fs: FileSystem, root: Path) extends FolderFiles(fs, root) {
  import LocalFiles._

  // None where there was no folder yet.
  private val keyOfRoot = Try(Files.readAttributes(local(root), classOf[BasicFileAttributes]).fileKey).toOption

  /**
   * The folder is the one that the names lead to, whatever happens to the names.
   *
   * @param isSame
   *   whether the table's folder has to be the one that it was
   */
  private def in[T](folder: Path, isSame: Boolean = false)(body: Folder => T): T = {
    def descend(at: Folder, left: List[String]): T = left match {
      case Nil => body(at)
      case name :: rest => Using.resource(at.newDirectoryStream(nameOf(name), NOFOLLOW_LINKS))(descend(_, rest))
    }
    val below = local(root).relativize(local(folder))
    val names = if (below.toString.isEmpty) Nil else below.iterator.asScala.map(_.toString).toList
    Using.resource(opened(local(root))) { top =>
      def key = top.getFileAttributeView(classOf[BasicFileAttributeView]).readAttributes().fileKey
      if (isSame && keyOfRoot.exists(_ != key)) throw new IOException(s"$root leads to another folder by now")
      descend(top, names)
    }
  }

  private def inParent[T](path: Path)(body: (Folder, LocalPathName) => T): T =
    checked(path.getParent)(in(path.getParent)(body(_, nameOf(path.getName))))

  /** A reader sees all of it or what was there before. */
  override def write(path: Path, content: Array[Byte], access: Access): Unit = inParent(path) { (folder, name) =>
    // Not into a file that is there: it may have other names elsewhere.
    val draft = nameOf(s".$name.${UUID.randomUUID}.draft")
    try {
      create(folder, draft, content, access)
      folder.move(draft, folder, name)
      ofSums(name)(folder.deleteFile): Unit
    } finally ifThere(folder.deleteFile(draft))
  }

  override def createLocally(path: Path, content: Array[Byte], access: Access): Unit =
    inParent(path)(create(_, _, content, access))

  private def create(folder: Folder, name: LocalPathName, content: Array[Byte], access: Access): Unit = {
    val how = Set[OpenOption](CREATE_NEW, WRITE, SYNC, NOFOLLOW_LINKS).asJava
    Using.resource(folder.newByteChannel(name, how, PosixFilePermissions.asFileAttribute(OfMe))) { channel =>
      val bytes = ByteBuffer.wrap(content)
      while (bytes.hasRemaining) channel.write(bytes)
    }
    protect(folder, name, access)
  }

  /** Whatever the umask is: nobody else gets into it before it has its access. */
  override protected def createFolder(path: Path): Boolean =
    try {
      Files.createDirectory(local(path), PosixFilePermissions.asFileAttribute(FolderOfMe))
      true
    } catch {
      case e: FileAlreadyExistsException =>
        val found = Try(Files.readAttributes(local(path), classOf[BasicFileAttributes], NOFOLLOW_LINKS))
        found.toOption.getOrElse(throw deleted(path)).isDirectory || { throw e }
      case _: NoSuchFileException => throw deleted(path)
      // What it is for want of, and not of a permission.
      case e: FileSystemException if Option(e.getReason).exists(UnexpectedError.saysFull) => throw e
      case _: FileSystemException => false
    }

  /** Of a folder, or the one above it, that a statement which ends has deleted; by now it may be there again. */
  private def deleted(path: Path) = new FileNotFoundException(s"$path has been deleted")

  override def rename(from: Path, to: Path): Boolean = inParent(from) { (source, name) =>
    inParent(to) { (target, newName) =>
      source.move(name, target, newName)
      if (!ofSums(name)(source.move(_, target, sumOf(newName)))) ofSums(newName)(target.deleteFile)
      true
    }
  }

  override def sync(path: Path): Unit =
    if (local(path) == local(root)) super.sync(path)
    else
      inParent(path) { (folder, name) =>
        // Some mounts of SMB take such a call of a file that is open for writing only.
        def syncFile(name: LocalPathName): Unit =
          try force(name, READ)
          catch { case e: IOException if !e.isInstanceOf[NoSuchFileException] => force(name, WRITE) }
        def force(name: LocalPathName, how: OpenOption): Unit =
          Using.resource(folder.newByteChannel(name, Set[OpenOption](how, NOFOLLOW_LINKS).asJava)) {
            case file: FileChannel => file.force(true)
            case other => throw new IOException(s"$other cannot be forced to the disk")
          }
        syncFile(name)
        ofSums(name)(syncFile): Unit
      }

  override def copy(from: Path, to: Path): Unit = checked(from, to)(copyUnchecked(from, to))

  /** Follows no link, whoever puts it in the file's place after the look. */
  def copyUnchecked(from: Path, to: Path): Unit = inParent(from) { (source, name) =>
    inParent(to) { (target, newName) =>
      copy(source, name, target, newName)
      ofSums(name)(copy(source, _, target, sumOf(newName))): Unit
    }
  }

  private def copy(source: Folder, name: LocalPathName, target: Folder, newName: LocalPathName): Unit =
    Using.resource(source.newByteChannel(name, Set[OpenOption](READ, NOFOLLOW_LINKS).asJava)) { in =>
      val how = Set[OpenOption](CREATE_NEW, WRITE, SYNC, NOFOLLOW_LINKS).asJava
      Using.resource(target.newByteChannel(newName, how, PosixFilePermissions.asFileAttribute(OfMe))) { out =>
        val bytes = ByteBuffer.allocate(CopiedAtOnce)
        while (in.read(bytes) >= 0) {
          bytes.flip()
          while (bytes.hasRemaining) out.write(bytes)
          bytes.clear()
        }
      }
    }

  override def delete(path: Path): Unit = ifThere(inParent(path)(delete)): Unit

  override def deleteWhereSeen(path: Path): Unit =
    ifThere(checked(path.getParent)(in(path.getParent, isSame = true)(delete(_, nameOf(path.getName))))): Unit

  private def delete(folder: Folder, name: LocalPathName): Unit =
    if (isFolder(folder, name)) folder.deleteDirectory(name)
    else {
      folder.deleteFile(name)
      ofSums(name)(folder.deleteFile): Unit
    }

  override def deleteEmpty(path: Path): Unit = inParent(path)((folder, name) => folder.deleteDirectory(name))

  override def deleteAll(path: Path): Unit = ifThere(inParent(path)(deleteAll)): Unit

  private def deleteAll(folder: Folder, name: LocalPathName): Unit = ifThere {
    if (isFolder(folder, name)) {
      Using.resource(folder.newDirectoryStream(name, NOFOLLOW_LINKS)) { inner =>
        inner.asScala.map(_.getFileName).toList.foreach(deleteAll(inner.asInstanceOf[Folder], _))
      }
      folder.deleteDirectory(name)
    } else folder.deleteFile(name)
  }: Unit

  private def isFolder(folder: Folder, name: LocalPathName): Boolean =
    folder.getFileAttributeView(name, classOf[BasicFileAttributeView], NOFOLLOW_LINKS).readAttributes().isDirectory

  override def accessOf(path: Path): Option[Access] =
    if (local(path) == local(root)) Some(LocalAccess.of(local(root)))
    else Try(inParent(path)(attributes)).toOption.map(LocalAccess.of)

  override def accessOfKept(): Iterator[Access] = in(root) { folder =>
    val names = namesIn(folder).filter(_.toString != TableFolder.Name)
    val access = LocalAccess.of(local(root))
    accessOfKept(folder, local(root), access, names, isHidden = false, new UnixAttributes.Accesses).iterator
  }

  private def namesIn(folder: Folder): List[LocalPathName] = folder.asScala.map(_.getFileName).toList

  /** Those that differ. */
  private def accessOfKept(
      folder: Folder,
      place: LocalPathName,
      access: Access,
      names: List[LocalPathName],
      isHidden: Boolean,
      accesses: UnixAttributes.Accesses): List[Access] = {
    val (ofFiles, ofFolders) = (mutable.Set.empty[Access], mutable.Set.empty[Access])
    names.foreach { name =>
      val hasHiddenName = TableFolder.isHidden(name.toString)
      try {
        val found = attributes(folder, name)
        if (found.isRegularFile && !hasHiddenName) ofFiles += accesses.of(found)
        else if (found.isDirectory && !FolderAccess.hasNoData(name.toString))
          Using.resource(folder.newDirectoryStream(name, NOFOLLOW_LINKS)) { stream =>
            val (inner, there) = (stream.asInstanceOf[Folder], place.resolve(name))
            val ofInner = LocalAccess.withSticky(there, accesses.of(found))
            accessOfKept(inner, there, ofInner, namesIn(inner), isHidden || hasHiddenName, accesses)
              .foreach(ofFolders += _.namedIn(ofInner))
          }
      } catch {
        case _: NoSuchFileException => ()
        // Somebody's folder that is no data of this user's, as far as they can see.
        case _: AccessDeniedException if isHidden || hasHiddenName => ()
      }
    }
    (ofFiles.map(_.deletedIn(access)) ++ ofFolders).toList
  }

  override def protect(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    def protectOnly(name: LocalPathName): Unit = {
      requireOnlyName(local(path.getParent).resolve(name), attributes(folder, name))
      protect(folder, name, access)
    }
    protectOnly(name)
    ofSums(name)(protectOnly): Unit
  }

  private def protect(folder: Folder, name: LocalPathName, access: Access): Unit =
    LocalAccess.give(viewOf(folder, name), access)

  override def narrow(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    def narrow(name: LocalPathName): Unit = {
      val (view, place) = (viewOf(folder, name), local(path.getParent).resolve(name))
      val found = view.readAttributes()
      if (found.isDirectory || LocalAccess.isOnlyName(place, found.fileKey))
        LocalAccess.give(view, LocalAccess.of(found).narrowedTo(access))
    }
    narrow(name)
    ofSums(name)(narrow): Unit
  }

  override def open(path: Path, access: Access): Unit = inParent(path) { (folder, name) =>
    def open(name: LocalPathName): Unit = {
      val (file, place) = (viewOf(folder, name), local(path.getParent).resolve(name))
      // The number of names can be asked for by the path alone, which may lead elsewhere by now.
      if (LocalAccess.isToOpen(place, access, file.readAttributes().fileKey)) LocalAccess.give(file, access)
    }
    open(name)
    ofSums(name)(open): Unit
  }
}

private[folder] object LocalFiles {

  private type Folder = SecureDirectoryStream[LocalPathName]
  private type LocalPathName = java.nio.file.Path

  private val CopiedAtOnce = 1 << 20

  private val OfMe = PosixFilePermissions.fromString("rw-------")
  private val FolderOfMe = PosixFilePermissions.fromString("rwx------")

  /** None where the system cannot, and where somebody's file system does more than Hadoop's own. */
  def of(fs: FileSystem, root: Path): Option[LocalFiles] =
    if (isLocal(fs) && isSecure) Some(new LocalFiles(fs, root)) else None

  /** Hadoop's own, also in the wrapping of Hive, whose class is what Spark takes for `file:` where it has Hive's jars. */
  @scala.annotation.tailrec
  private def isLocal(fs: FileSystem): Boolean = fs match {
    case raw: RawLocalFileSystem => isHadoops(raw)
    case wrapping: FilterFileSystem if isHadoops(wrapping) => isLocal(wrapping.getRawFileSystem)
    case _ => false
  }

  private def isHadoops(fs: FileSystem): Boolean = Seq(
    fs.getClass.getMethod("mkdirs", classOf[Path]),
    fs.getClass.getMethod("rename", classOf[Path], classOf[Path]),
    fs.getClass.getMethod("delete", classOf[Path], classOf[Boolean])
  ).forall(_.getDeclaringClass.getName.startsWith("org.apache.hadoop."))

  private lazy val isSecure: Boolean =
    Try(Using.resource(Files.newDirectoryStream(FileSystems.getDefault.getPath("/")))(
      _.isInstanceOf[SecureDirectoryStream[_]])).getOrElse(false)

  private def opened(folder: LocalPathName): Folder = Files.newDirectoryStream(folder).asInstanceOf[Folder]

  private def nameOf(name: String): LocalPathName = FileSystems.getDefault.getPath(name)

  private def sumOf(name: LocalPathName): LocalPathName = nameOf(s".$name.crc")

  // Of the file systems of Linux and of Java's other ones, in bytes.
  private val LongestName = 255

  /** Does something with the sums that Hadoop keeps of a file: none where their name would be too long. */
  private def ofSums(name: LocalPathName)(body: LocalPathName => Unit): Boolean =
    sumOf(name).toString.getBytes(UTF_8).length <= LongestName && ifThere(body(sumOf(name)))

  /** Whether there was what `body` needs. */
  private def ifThere(body: => Unit): Boolean =
    try {
      body
      true
    } catch { case _: NoSuchFileException => false }

  private def viewOf(folder: Folder, name: LocalPathName): PosixFileAttributeView =
    folder.getFileAttributeView(name, classOf[PosixFileAttributeView], NOFOLLOW_LINKS)

  private def attributes(folder: Folder, name: LocalPathName) = viewOf(folder, name).readAttributes()
}
