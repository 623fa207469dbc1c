// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException}
import java.nio.ByteBuffer
import java.nio.channels.{FileChannel, ReadableByteChannel, WritableByteChannel}
import java.nio.file.{Path => LocalPath, _}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, SYNC, WRITE}
import java.nio.file.attribute.{BasicFileAttributes, PosixFilePermissions}
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.UnexpectedError
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.Access

import org.apache.hadoop.fs.{FileSystem, FilterFileSystem, Path, RawLocalFileSystem}

/**
 * Changes of the files of a table on a local disk. Hadoop's file system, which goes by whole paths, is used to look only;
 * the sums that it keeps beside a file go with the file.
 */
private[folder] final class LocalFiles(fs: FileSystem, root: Path) extends LocalFileAccess(fs, root) {
  import LocalFiles._
  import OpenedFolders._

  /** A reader sees all of it or what was there before. */
  override def write(path: Path, content: Array[Byte], access: Access): Unit = inParent(path) { (folder, name) =>
    // Not into a file that is there: it may have other names elsewhere. Encrypted disks have names of 143 bytes at most.
    val draft = named(s".draft-${UUID.randomUUID}")
    try {
      create(folder, draft, content, access)
      folder.move(draft, folder, name)
      ofSums(name)(folder.deleteFile): Unit
    } finally ifThere(folder.deleteFile(draft))
  }

  override def createLocally(path: Path, content: Array[Byte], access: Access): Unit =
    inParent(path)(create(_, _, content, access))

  private def create(folder: Folder, name: LocalPath, content: Array[Byte], access: Access): Unit = {
    val how = Set[OpenOption](CREATE_NEW, WRITE, SYNC, NOFOLLOW_LINKS).asJava
    // Somebody may put another file in its place, to have that opened to others.
    def key = viewOf(folder, name).readAttributes().fileKey
    val made = Using.resource(folder.newByteChannel(name, how, PosixFilePermissions.asFileAttribute(OfMe))) { channel =>
      val made = key
      val bytes = ByteBuffer.wrap(content)
      while (bytes.hasRemaining) channel.write(bytes)
      made
    }
    if (key != made) throw new IOException(s"$name is another file by now")
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

  override def rename(from: Path, to: Path): Boolean = inParentWhereSeen(from) { (source, name) =>
    inParentWhereSeen(to) { (target, newName) =>
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
        def syncFile(name: LocalPath): Unit =
          try force(name, READ)
          catch { case e: IOException if !e.isInstanceOf[NoSuchFileException] => force(name, WRITE) }
        def force(name: LocalPath, how: OpenOption): Unit = Using.resource(channelOf(folder, name, how)) {
          case file: FileChannel => file.force(true)
          case other => throw new IOException(s"$other cannot be forced to the disk")
        }
        withSums(name)(syncFile)
      }

  override def copy(from: Path, to: Path): Unit = checked(from, to)(copyUnchecked(from, to))

  /** Follows no link, whoever puts it in the file's place after the look. */
  def copyUnchecked(from: Path, to: Path): Unit = inParent(from) { (source, name) =>
    inParent(to) { (target, newName) =>
      copy(source, name, target, newName)
      ofSums(name)(copy(source, _, target, sumOf(newName))): Unit
    }
  }

  private def copy(source: Folder, name: LocalPath, target: Folder, newName: LocalPath): Unit =
    Using.resource(channelOf(source, name)) { in =>
      val how = Set[OpenOption](CREATE_NEW, WRITE, SYNC, NOFOLLOW_LINKS).asJava
      val made = target.newByteChannel(newName, how, PosixFilePermissions.asFileAttribute(OfMe))
      try Using.resource(made)(copy(in, _))
      catch {
        // A part of it is no copy.
        case e: IOException =>
          target.deleteFile(newName)
          throw e
      }
    }

  private def copy(in: ReadableByteChannel, out: WritableByteChannel): Unit = {
    val bytes = ByteBuffer.allocate(CopiedAtOnce)
    while (in.read(bytes) >= 0) {
      bytes.flip()
      while (bytes.hasRemaining) out.write(bytes)
      bytes.clear()
    }
  }

  override def delete(path: Path): Unit = ifThere(inParentWhereSeen(path)(delete)): Unit

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

  private val CopiedAtOnce = 1 << 20

  private val OfMe = PosixFilePermissions.fromString("rw-------")
  private val FolderOfMe = PosixFilePermissions.fromString("rwx------")

  /** None where the system cannot, and where somebody's file system does more than Hadoop's own. */
  def of(fs: FileSystem, root: Path): Option[LocalFiles] =
    if (isLocal(fs) && OpenedFolders.arePossible) Some(new LocalFiles(fs, root)) else None

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
}
