// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{BufferedOutputStream, FileNotFoundException, IOException}
import java.nio.ByteBuffer
import java.nio.channels.{Channels, FileChannel, ReadableByteChannel, SeekableByteChannel, WritableByteChannel}
import java.nio.file.{Path => LocalPath, _}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, SYNC, WRITE}
import java.nio.file.attribute.{BasicFileAttributes, PosixFilePermissions}
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, LocalAccess, NewAccess, OwnFiles}
import io.sparkzorder.format.parquet.folder.opened.{
  CopiedFile,
  CreatedFile,
  HeldFolders,
  KnownFiles,
  LocalIdentity,
  OpenedFile,
  OpenedFileSystem,
  OpenedFolder
}
import io.sparkzorder.format.parquet.folder.opened.OpenedFolder._

import org.apache.hadoop.fs.{ChecksumFileSystem, FileSystem, FilterFileSystem, Path, RawLocalFileSystem}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/**
 * Changes of the files of a table on a local disk. Hadoop's file system, which goes by whole paths, is used to look only;
 * the sums that it keeps beside a file go with the file.
 */
private[folder] final class LocalFiles(fs: FileSystem, root: Path) extends LocalFileAccess(fs, root) {
  import LocalFiles._

  /** A reader sees all of it or what was there before. */
  override def write(path: Path, content: Array[Byte], access: Access): Unit =
    isWritten(path, content, access)(_ => true): Unit

  override def writeOver(path: Path, content: Array[Byte], access: Access, identity: Option[String]): Boolean =
    isWritten(path, content, access)(isVeryIn(_, path, identity))

  private def isWritten(path: Path, content: Array[Byte], access: Access)(isDue: Folder => Boolean): Boolean =
    inParent(path) { (folder, name) =>
      // Not into a file that is there: it may have other names elsewhere. Encrypted disks have names of 143 bytes at most.
      val draft = named(s".draft-${UUID.randomUUID}")
      try {
        create(folder, draft, content, access, path.getParent)
        isDue(folder) && {
          folder.move(draft, folder, name)
          ofSums(name)(folder.deleteFile): Unit
          true
        }
      } finally ifThere(folder.deleteFile(draft))
    }

  override def createLocally(path: Path, content: Array[Byte], access: Access): Unit =
    inParent(path)(create(_, _, content, access, path.getParent))

  private def create(folder: Folder, name: LocalPath, content: Array[Byte], access: Access, in: Path): Unit =
    Using.resource(newFile(folder, name, SYNC)) { channel =>
      val bytes = ByteBuffer.wrap(content)
      while (bytes.hasRemaining) channel.write(bytes)
      val file = OpenedFile.of(channel, folder, name, local(in))
      // Where it is changed by its name, somebody may have put another file in its place, to have that opened to others.
      if (!file.hasOneName) throw new IOException(s"$name is another file by now")
      LocalAccess.give(file.view, access)
    }

  override lazy val isPlain: Boolean = chainOf(fs).forall(f => createsAsHadoop(f) && opensAsHadoop(f))

  override def readSettings(listed: Option[Map[String, String]]): Map[String, String] =
    if (isPlain) OpenedFileSystem.settings(local(root), keyOfRoot, hasSums = bytesPerSum.isDefined, listed)
    else Map.empty

  private lazy val bytesPerSum = chainOf(fs).collectFirst { case summed: ChecksumFileSystem => summed.getBytesPerSum }

  override def created(path: Path, access: Access): CreatedFile = inParent(path) { (folder, name) =>
    def one(name: LocalPath) = {
      val channel = newFile(folder, name)
      val file = OpenedFile.of(channel, folder, name, local(path.getParent))
      LocalAccess.give(file.view, access)
      (file, new BufferedOutputStream(Channels.newOutputStream(channel), WrittenAtOnce))
    }
    val (file, data) = one(name)
    try {
      val sums = bytesPerSum.map(n => (one(sumOf(name)), n))
      def all = (name -> file) :: sums.map { case ((of, _), _) => sumOf(name) -> of }.toList
      new CreatedFile(data, sums.map { case ((_, out), n) => (out, n) }, () => known(path.getParent, all))
    } catch {
      case e: IOException =>
        data.close()
        throw e
    }
  }

  /** By times that stay when a file is closed: none where those of birth are not known. */
  private def known(in: Path, files: Seq[(LocalPath, OpenedFile)]): KnownFiles =
    if (LocalIdentity.birth(local(in)).isEmpty) KnownFiles.none
    else KnownFiles.of(files.flatMap { case (name, file) =>
      file.asked(LocalIdentity.identity(_, _)).map(name.toString -> _)
    }.toMap)

  /** A file that nobody else may open before it has its access. */
  private def newFile(folder: Folder, name: LocalPath, how: OpenOption*): SeekableByteChannel = {
    val options = Set[OpenOption](CREATE_NEW, WRITE, NOFOLLOW_LINKS) ++ how
    folder.newByteChannel(name, options.asJava, PosixFilePermissions.asFileAttribute(OfMe))
  }

  override def makeFolder(path: Path, access: Access): Unit = checked(path) {
    val before = System.currentTimeMillis()
    val isMade = madeNew(path)
    requireThere(path, isMade.isDefined)
    // Who has made one that is there gives it its access.
    if (isMade.contains(true)) inParent(path) { (folder, name) =>
      Using.resource(opened(folder, name)) { made =>
        // One that somebody has renamed to it may be closed to them.
        val of = if (path == new Path(root, TableFolder.Name)) "" else path.getName
        if (namesIn(made).forall(n => OwnFiles.isKnown(of, n.toString)) && isSince(before, made, path))
          LocalAccess.give(viewOf(made), access)
      }
    }
  }

  /** Whether a folder was made since a time, in milliseconds since 1970: not one of before that was exchanged for it. */
  private def isSince(before: Long, made: Folder, path: Path): Boolean =
    !LocalIdentity.hasOneClock(local(path.getParent)) ||
      viewOf(made).readAttributes().creationTime.toMillis + Tick >= before

  /**
   * Creates a folder: nobody else gets into it before it has its access, whatever the umask is.
   *
   * @return
   *   whether it is new, and not one that was there; None where it could not be made
   */
  private def madeNew(path: Path): Option[Boolean] =
    try {
      Files.createDirectory(local(path), PosixFilePermissions.asFileAttribute(FolderOfMe))
      Some(true)
    } catch {
      case e: FileAlreadyExistsException =>
        val found = Try(Files.readAttributes(local(path), classOf[BasicFileAttributes], NOFOLLOW_LINKS))
        if (found.toOption.getOrElse(throw deleted(path)).isDirectory) Some(false) else throw e
      case _: NoSuchFileException => throw deleted(path)
      // What it is for want of, and not of a permission.
      case e: FileSystemException if Option(e.getReason).exists(UnexpectedError.saysFull) => throw e
      case _: FileSystemException => None
    }

  /** Of a folder, or the one above it, that a statement which ends has deleted; by now it may be there again. */
  private def deleted(path: Path) = new FileNotFoundException(s"$path has been deleted")

  override def link(file: Path, name: Path): Unit = inParent(file) { (source, from) =>
    inParent(name) { (target, to) =>
      OpenedFile.inPlaces(source, target) {
        // Java names files by paths alone.
        case Some((there, here)) =>
          def keyIn(folder: Folder, name: LocalPath) = viewOf(folder, name).readAttributes().fileKey
          val known = keyIn(source, from)
          Files.createLink(here.resolve(to), there.resolve(from))
          // Another process may have done all that it is for since, and have forgotten it.
          if (Try(keyIn(target, to)).toOption.exists(_ != known))
            throw new IOException(s"$name is another file than $file by now")
        case None => super.link(file, name)
      }
    }
  }

  override def rename(from: Path, to: Path): Boolean = renameVery(from, to, None, None)

  override def renameVery(from: Path, to: Path, identity: Option[String], closed: Option[NewAccess]): Boolean =
    renameWhere(from, to) { (source, target) =>
      isVeryIn(source, from, identity) && closed.forall(isClosedBy(source, from, target, _))
    }

  override def renameAsClosed(from: Path, to: Path): Boolean = renameWhere(from, to) { (source, target) =>
    val way =
      List(viewOf(source, named(from.getName)), viewOf(source)).map(view => LocalAccess.of(view.readAttributes()))
    isClosedBy(source, from, target, NewAccess.of(way, left = 1))
  }

  /**
   * Whether a file is as closed as this in another folder: somebody who owns the folder around that one may have put one of
   * theirs in the place of what a statement has made. Then the file itself is closed, where that can be done.
   */
  private def isClosedBy(source: Folder, file: Path, target: Folder, access: NewAccess): Boolean = {
    val closed = access.closed
    lazy val isFolder =
      isAsClosed(target, access, closed.ofFolderLike(LocalAccess.of(viewOf(source).readAttributes())))
    var is = true
    withSums(named(file.getName)) { one =>
      def isNarrow = {
        val found = viewOf(source, one).readAttributes()
        // Also its owner may be one whom folders keep out.
        LocalAccess.isNarrow(found, closed) && isReader(found.owner.getName)(access.areFoldersOpenTo)
      }
      is &&= isNarrow || isFolder || {
        narrowIn(source, one, local(file.getParent), closed)
        isNarrow
      }
    }
    is
  }

  override def renameBeside(from: Path, to: Path, others: Iterable[(Path, String)]): Boolean = renameWhere(from, to) {
    (_, target) =>
      val is = others.isEmpty || others.exists { case (other, known) => isVeryIn(target, other, Some(known)) }
      if (is) held.add(local(to.getParent), target)
      is
  }

  private val held = new HeldFolders

  // Where it is gone, or cannot be opened, nothing is held.
  override def hold(path: Path, bytes: Long): Unit = if (!held.has(local(path.getParent))) Try {
    inParent(path) { (folder, name) =>
      if (viewOf(folder, name).readAttributes().size == bytes) held.add(local(path.getParent), folder)
    }
  }: Unit

  override def release(folder: Path): Unit = held.release(local(folder))

  override def releaseAll(): Unit = held.releaseAll()

  override def isInHeldFolder(path: Path, bytes: Long): Boolean = held.find(local(path)).exists(_.size == bytes)

  override def isInHeldFolder(path: Path, file: ListedFile, identity: Option[String]): Boolean =
    held.find(local(path)).exists { found =>
      found.size == file.bytes && ListedFile.isSameTime(found.lastModifiedTime.toMillis, file.modificationTime) &&
      identity.forall(known => LocalIdentity.origin(found).forall(_ == LocalIdentity.origin(known)))
    }

  /** Whether a folder that is open has a file, at its path, of an identity. */
  private def isVeryIn(folder: Folder, path: Path, identity: Option[String]): Boolean =
    try isVery(viewOf(folder, named(path.getName)).readAttributes(), path, identity)
    catch { case _: NoSuchFileException => false }

  private def renameWhere(from: Path, to: Path)(isRight: (Folder, Folder) => Boolean): Boolean =
    inParentWhereSeen(from) { (source, name) =>
      def isMoved(target: Folder, newName: LocalPath) = isRight(source, target) && {
        source.move(name, target, newName)
        if (!ofSums(name)(source.move(_, target, sumOf(newName)))) ofSums(newName)(target.deleteFile)
        true
      }
      // Its name may lead to another folder by then.
      if (from.getParent == to.getParent) isMoved(source, named(to.getName)) else inParentWhereSeen(to)(isMoved)
    }

  override def sync(path: Path): Unit =
    if (local(path) == local(root)) super.sync(path)
    else
      inParent(path) { (folder, name) =>
        // Some mounts of SMB take such a call of a file that is open for writing only.
        def syncFile(name: LocalPath): Unit =
          try force(name, READ)
          catch { case e: IOException if !e.isInstanceOf[NoSuchFileException] => force(name, WRITE) }
        def force(name: LocalPath, how: OpenOption): Unit = Using.resource(channelOf(folder, name, how)) {
          case file: FileChannel => file.force(true)
          case other => throw new IOException(s"$other cannot be forced to the disk")
        }
        withSums(name)(syncFile)
      }

  override def copy(from: Path, to: Path, access: Access): CopiedFile =
    checked(from, to)(copyUnchecked(from, to, access))

  /** Follows no link, whoever puts it in the file's place after the look. */
  def copyUnchecked(from: Path, to: Path, access: Access): CopiedFile = inParent(from) { (source, name) =>
    inParent(to) { (target, newName) =>
      def copy(in: SeekableByteChannel, newName: LocalPath): KnownFiles = {
        val made = newFile(target, newName, SYNC)
        try Using.resource(made) { out =>
            val file = OpenedFile.of(out, target, newName, local(to.getParent))
            LocalAccess.give(file.view, access)
            copyBytes(in, out)
            known(to.getParent, Seq(newName -> file))
          }
        catch {
          // A part of it is no copy.
          case e: IOException =>
            target.deleteFile(newName)
            throw e
        }
      }
      val (ofFile, before) = Using.resource(channelOf(source, name)) { in =>
        (copy(in, newName), sourceOf(in, source, name, from))
      }
      var ofSums = KnownFiles.none
      // Others are no sums for Hadoop, either.
      OpenedFolder.ofSums(name)(sums =>
        Using.resource(channelOf(source, sums)) { in =>
          val isSums = CreatedFile.isStartOfSums(startOf(in, CreatedFile.StartOfSums.length))
          // Somebody may have put there those of a file that is more private.
          if (isSums && sourceOf(in, source, sums, from).access.isReadByAllOf(before.access)) {
            in.position(0)
            ofSums = copy(in, sumOf(newName))
          }
        }): Unit
      CopiedFile(ofFile.and(ofSums), Some(before))
    }
  }

  private def sourceOf(file: SeekableByteChannel, in: Folder, name: LocalPath, path: Path): CopiedFile.Source = {
    val opened = OpenedFile.of(file, in, name, local(path.getParent))
    CopiedFile.Source(
      LocalAccess.of(opened.view.readAttributes()),
      opened.asked(LocalIdentity.identity(_, _)))
  }

  private def copyBytes(in: ReadableByteChannel, out: WritableByteChannel): Unit = {
    val bytes = ByteBuffer.allocate(CopiedAtOnce)
    while (in.read(bytes) >= 0) {
      bytes.flip()
      while (bytes.hasRemaining) out.write(bytes)
      bytes.clear()
    }
  }

  override def delete(path: Path): Unit = ifThere(inParentWhereSeen(path)(delete)): Unit

  override def deleteVery(path: Path, identity: Option[String]): Unit = ifThere {
    inParentWhereSeen(path) { (folder, name) =>
      if (isVery(viewOf(folder, name).readAttributes(), path, identity)) delete(folder, name)
    }
  }: Unit

  private def delete(folder: Folder, name: LocalPath): Unit =
    if (isFolder(folder, name)) folder.deleteDirectory(name) else withSums(name)(folder.deleteFile)

  override def deleteEmpty(path: Path): Unit = ifThere(inParentWhereSeen(path)(_.deleteDirectory(_))): Unit

  override def deleteAll(
      path: Path,
      isOwn: ListedFile => Boolean,
      isOurs: Boolean,
      word: Seq[Path]): Unit = checked(path.getParent) {
    val own :: below = local(root).relativize(local(path)).iterator.asScala.map(n => named(n.toString)).toList
    // Whatever has the name `_zorder` has none of our names in it unless it is ours.
    def isGone(top: Folder) = Using.resource(opened(top, own)) { inner =>
      val place = local(root).resolve(own)
      val said = if (word.isEmpty) this.word else word
      new ClearedFolder(inner.asInstanceOf[Folder], place, isOurs && said.isEmpty, isReachable = true, said, Nil, this)
        .isCleared(below, isOwn)
    }
    ifThere {
      if (!inRootWhereSeen(isGone))
        throw new IOException(
          s"not all who may write into $root may delete all that is in it, or a file in it is in use " +
            "(.nfs... on NFS). Delete it by hand")
    }
  }: Unit
}

private[folder] object LocalFiles {

  // Of the clock by which disks note times of birth, in milliseconds.
  private val Tick = 20L

  private val CopiedAtOnce = 1 << 20
  private val WrittenAtOnce = 1 << 16

  private val OfMe = PosixFilePermissions.fromString("rw-------")
  private val FolderOfMe = PosixFilePermissions.fromString("rwx------")

  /** None where the system cannot, and where somebody's file system does more than Hadoop's own. */
  def of(fs: FileSystem, root: Path): Option[LocalFiles] =
    if (isLocal(fs) && OpenedFolder.arePossible) Some(new LocalFiles(fs, root)) else None

  /** Hadoop's own, also in the wrapping of Hive, whose class is what Spark takes for `file:` where it has Hive's jars. */
  private def isLocal(fs: FileSystem): Boolean =
    chainOf(fs).forall(changesAsHadoop) && chainOf(fs).last.isInstanceOf[RawLocalFileSystem]

  /** A file system and those that it wraps. */
  private def chainOf(fs: FileSystem): List[FileSystem] = fs match {
    case wrapping: FilterFileSystem => wrapping :: chainOf(wrapping.getRawFileSystem)
    case _ => List(fs)
  }

  private def changesAsHadoop(fs: FileSystem) = isHadoops(fs, "mkdirs", classOf[Path]) &&
    isHadoops(fs, "rename", classOf[Path], classOf[Path]) && isHadoops(fs, "delete", classOf[Path], classOf[Boolean])

  private def createsAsHadoop(fs: FileSystem) = isHadoops(
    fs,
    "create",
    classOf[Path],
    classOf[FsPermission],
    classOf[Boolean],
    classOf[Int],
    classOf[Short],
    classOf[Long],
    classOf[Progressable])

  private def opensAsHadoop(fs: FileSystem) = isHadoops(fs, "open", classOf[Path], classOf[Int])

  private def isHadoops(fs: FileSystem, method: String, of: Class[_]*) =
    fs.getClass.getMethod(method, of: _*).getDeclaringClass.getName.startsWith("org.apache.hadoop.")
}
