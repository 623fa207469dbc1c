// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException, InputStream}
import java.nio.ByteBuffer
import java.nio.file.{Files, Path => LocalPath}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardOpenOption.{CREATE_NEW, SYNC, WRITE}
import java.nio.file.attribute.FileTime
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.annotation.nowarn
import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.errors.ZOrderErrors

import org.apache.hadoop.fs.{EtagSource, FSDataOutputStream, FileStatus, FileSystem, FileUtil}
import org.apache.hadoop.fs.{MultipartUploader, Path, PathHandle, StreamCapabilities}
import org.apache.hadoop.fs.CommonPathCapabilities.{FS_ACLS, FS_PERMISSIONS}
import org.apache.hadoop.fs.permission.FsAction
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.functional.FutureIO
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/**
 * Every operation on the file system below a table's folder: nothing else touches it for a table.
 *
 * Whoever may write into a table's folder must not act with the rights of whoever runs a statement. So no operation
 * passes a link: no part of a path below the table's folder is one. Of the file systems of Hadoop only local disks have
 * links, and each operation looks for them first.
 *
 * @param root
 *   the table's folder, qualified; what is above it is nobody's who may write into the table
 */
private[folder] class FolderFiles(protected val fs: FileSystem, protected val root: Path) {

  protected val isLocal: Boolean = fs.getUri.getScheme == "file"

  protected def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)

  /** @throws ZOrderRuntimeException where a part of the path is a link */
  def requireNoLink(path: Path): Unit =
    if (hasLink(path)) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)

  def hasLink(path: Path): Boolean = isLocal && {
    val (top, file) = (local(root), local(path))
    file.startsWith(top) && Iterator.iterate(file)(_.getParent).takeWhile(_ != top).exists(Files.isSymbolicLink(_))
  }

  private val prefix = root.toUri.getPath.stripSuffix("/") + "/"

  /** Whatever a path was made of: text that was read from a file of the log, for one. */
  private def isWithin(path: Path): Boolean = {
    val text = path.toUri.getPath
    (text + "/" == prefix || text == prefix || text.startsWith(prefix)) && !text.split('/').contains("..")
  }

  /** Whether a local folder is there and this user may not look into it. */
  def isClosed(folder: Path): Boolean = isLocal && {
    val file = local(folder)
    Files.isDirectory(file) && !(Files.isReadable(file) && Files.isExecutable(file))
  }

  protected def checked[T](paths: Path*)(body: => T): T = {
    paths.foreach { path =>
      if (!isWithin(path)) throw ZOrderErrors.pathOutsideTable(path.toString, root.toString)
      requireNoLink(path)
    }
    body
  }

  /** None where there is nothing. */
  def status(path: Path): Option[FileStatus] = checked(path)(statusAnywhere(path))

  /** As [[status]], also of what is above the table's folder. */
  def statusAnywhere(path: Path): Option[FileStatus] =
    try Some(fs.getFileStatus(path))
    catch { case _: FileNotFoundException => None }

  /** Whether there is a folder. On a store one listing tells, where [[status]] asks for an object first. */
  @nowarn("cat=deprecation")
  def isFolderAnywhere(path: Path): Boolean = fs.isDirectory(path)

  /** Whether there is something where a folder is to be. */
  def isThere(folder: Path): Boolean =
    if (isStore) checked(folder)(isFolderAnywhere(folder)) else status(folder).isDefined

  /** The files and folders right below; none where there is no such folder. */
  def list(path: Path): Seq[FileStatus] = checked(path)(listAnywhere(path))

  /** As [[list]], of a folder that is seldom there: a store is asked for it once, not in three ways. */
  def listSeldom(path: Path): Seq[FileStatus] = if (isStore && !isThere(path)) Nil else list(path)

  /** As [[list]], also of what is above the table's folder. */
  def listAnywhere(path: Path): Seq[FileStatus] =
    try fs.listStatus(path).toSeq
    catch { case _: FileNotFoundException => Nil }

  /** The content of a small file; None where there is none. */
  def read(path: Path): Option[Array[Byte]] = checked(path) {
    try Some(content(fs.open(path)))
    catch {
      // So Hadoop calls a local file that one may not read.
      case _: FileNotFoundException if isLocal && Files.exists(local(path), NOFOLLOW_LINKS) =>
        throw new AccessControlException(s"$path cannot be read")
      case _: FileNotFoundException => None
    }
  }

  /** As [[read]], of a file that was listed: a store does not ask for it again. */
  def read(file: FileStatus): Option[Array[Byte]] = {
    def listed() = content(FutureIO.awaitFuture(fs.openFile(file.getPath).withFileStatus(file).build()))
    if (isLocal) read(file.getPath)
    // It may have gone since, or be another one.
    else checked(file.getPath)(Try(listed()).toOption).orElse(read(file.getPath))
  }

  private def content(in: InputStream): Array[Byte] = Using.resource(in)(_.readAllBytes())

  /** Writes a small file, also in the place of another. A reader may see a part of it where the file system is such. */
  def write(path: Path, content: Array[Byte], access: Access): Unit = checked(path) {
    complete(fs.create(path, true)) { out =>
      out.write(content)
      out.hsync()
    }
    protect(path, access)
  }

  /** Creates a small file that must not be there. */
  def createNew(path: Path, content: Array[Byte]): Unit =
    checked(path)(complete(fs.create(path, false))(_.write(content)))

  /** As [[createNew]], on stores that compare when the stream is closed. */
  def createConditionally(path: Path, content: Array[Byte]): Unit = checked(path) {
    val created = fs.createFile(path).overwrite(false).recursive().must(FolderFiles.ConditionalOverwrite, true)
    complete(created.build())(_.write(content))
  }

  /** A stream of a store that is closed makes an object of what was written: not of a part. */
  private def complete(out: FSDataOutputStream)(write: FSDataOutputStream => Unit): Unit = {
    try write(out)
    catch {
      case e: IOException =>
        if (out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) out.abort()
        else if (!isStore) Try(out.close())
        throw e
    }
    out.close()
  }

  /** Creates a small file of a name that nobody else uses, on a store: without a look at what is there. */
  def createUnseen(path: Path, content: Array[Byte]): Unit = checked(path) {
    val created = fs.createFile(path).overwrite(true).recursive().opt("fs.s3a.create.performance", true)
    complete(created.build())(_.write(content))
  }

  // Files that are sent in parts

  private def uploader: MultipartUploader = fs.createMultipartUploader(root).build().asInstanceOf[MultipartUploader]

  /** Not with client-side encryption. */
  def canUpload: Boolean = Try(uploader).isSuccess

  def startUpload(path: Path): ByteBuffer = checked(path)(FutureIO.awaitFuture(uploader.startUpload(path)).bytes)

  def putPart(
      path: Path,
      upload: FileUpload,
      number: Int,
      bytes: InputStream,
      length: Long,
      isLast: Boolean): CompletableFuture[ByteBuffer] =
    checked(path)(UploadParts.put(
      uploader,
      upload.uploadHandle,
      number,
      isLast,
      path,
      bytes,
      length).thenApply(_.bytes))

  def complete(path: Path, upload: FileUpload): CompletableFuture[PathHandle] = checked(path) {
    val parts = upload.partHandles.zipWithIndex.map { case (part, i) => Integer.valueOf(i + 1) -> part }
    uploader.complete(upload.uploadHandle, path, parts.toMap.asJava)
  }

  /** Aborts an upload unless it is aborted, or completed, already. */
  def abort(path: Path, upload: FileUpload): Unit = checked(path) {
    try FutureIO.awaitFuture(uploader.abort(upload.uploadHandle, path)): Unit
    catch { case _: FileNotFoundException => () }
  }

  /**
   * Creates a file on a local disk with its content.
   *
   * @throws java.nio.file.FileAlreadyExistsException
   *   where there is one
   */
  def createLocally(path: Path, content: Array[Byte], access: Access): Unit = checked(path) {
    Files.write(local(path), content, CREATE_NEW, WRITE, SYNC)
    protect(path, access)
  }

  /** Gives a file on a local disk another name, which must be new. */
  def link(file: Path, name: Path): Unit = checked(file, name)(Files.createLink(local(name), local(file)))

  /** @return false, or an error, where it could not be moved */
  def rename(from: Path, to: Path): Boolean = checked(from, to)(fs.rename(from, to))

  /** Copies a file to one that must not be there. */
  def copy(from: Path, to: Path): Unit = checked(from, to) {
    if (!FileUtil.copy(fs, from, fs, to, false, false, fs.getConf))
      throw new IOException(s"$from cannot be copied to $to")
  }

  /** Deletes a file, or an empty folder. */
  def delete(path: Path): Unit = checked(path.getParent)(fs.delete(path, false): Unit)

  /** Deletes files, many with a call where the file system can. */
  def deleteFiles(paths: Seq[Path]): Unit = checked(paths: _*) {
    Using.resource(fs.createBulkDelete(root)) { bulk =>
      paths.grouped(bulk.pageSize).foreach(page => bulk.bulkDelete(page.asJava))
    }
  }

  /** Deletes a folder that is empty when it is deleted: a concurrent statement may have begun. */
  def deleteEmpty(path: Path): Unit = checked(path) {
    // Hadoop looks whether a local folder is empty, and then deletes it with whatever is in it.
    if (isLocal) Files.delete(local(path)) else fs.delete(path, false): Unit
  }

  /** Deletes a folder with all that is in it. */
  def deleteAll(path: Path): Unit = checked(path.getParent)(fs.delete(path, true): Unit)

  /** @throws AccessControlException where there is none afterwards, as in an immutable folder or on a read-only disk */
  def makeFolder(path: Path, access: Access): Unit = checked(path) {
    val isMade = fs.mkdirs(path)
    if (!isThere(path)) {
      // A statement that ends deletes folders that are empty.
      if (isMade || !isThere(path.getParent)) throw new FileNotFoundException(s"$path has been deleted")
      throw new AccessControlException(s"$path cannot be created")
    }
    protect(path, access)
  }

  /** Whether folders are but the beginnings of names. */
  lazy val isStore: Boolean = !isLocal && !hasPermissions

  private lazy val hasPermissions = has(FS_PERMISSIONS)
  private lazy val hasAcls = has(FS_ACLS)

  private def has(capability: String): Boolean = Try(fs.hasPathCapability(root, capability)).getOrElse(false)

  /** None where the file system has no permissions, or nothing is there. */
  def accessOf(path: Path): Option[Access] = if (!hasPermissions) None else status(path).map(accessOf)

  // Hadoop starts a process for what it asks of a local file.
  private def accessOf(status: FileStatus): Access = if (isLocal) LocalAccess.of(local(status.getPath))
  else {
    val acl = if (hasAcls && status.hasAcl) fs.getAclStatus(status.getPath).getEntries.asScala.toSeq else Nil
    Access.of(status.getOwner, status.getGroup, status.getPermission, acl)
  }

  /** Of all data files below a folder. */
  def accessBelow(folder: Path): Iterator[Access] =
    if (!hasPermissions) Iterator.empty
    else
      list(folder).iterator.filterNot(s => TableFolder.isHidden(s.getPath.getName) || hasLink(s.getPath)).flatMap { s =>
        val access = accessOf(s)
        if (s.isDirectory) accessBelow(s.getPath).map(_.reachedBy(access)) else Iterator(access)
      }

  /**
   * Opens one of the own files to those who may read the table's data, where it is not; it is another's business where it
   * has another owner, or other names elsewhere.
   */
  def open(path: Path, access: Access): Unit =
    if (hasPermissions) checked(path)(if (isLocal) LocalAccess.open(local(path), access) else give(path, access))

  /** Whether this user may write into a folder; a store says so only where something is written. */
  def requireWritable(folder: Path): Unit =
    if (isLocal) {
      // Hadoop looks at permissions of local files only, which do not hold for the superuser.
      if (!Files.isWritable(local(folder)) || !Files.isExecutable(local(folder)))
        throw new AccessControlException(s"$folder cannot be written to")
    } else if (!isStore) fs.access(folder, FsAction.WRITE_EXECUTE)

  /** Gives a file or a folder to an owner and a group, as far as this user may, and no more access than that. */
  def protect(path: Path, access: Access): Unit =
    if (hasPermissions) checked(path)(if (isLocal) LocalAccess.give(local(path), access) else give(path, access))

  private def give(path: Path, access: Access): Unit = {
    def now = fs.getFileStatus(path)
    val before = now
    access.group.filter(_ != before.getGroup).foreach(g => Try(fs.setOwner(path, null, g)))
    access.owner.filter(_ != before.getOwner).foreach(o => Try(fs.setOwner(path, o, null)))
    val isOfGroup = access.group.forall(_ == now.getGroup)
    // Entries that a new file has from its folder, and those that a folder has for new files.
    if (hasAcls && before.hasAcl) Try(fs.removeAcl(path))
    if (isOfGroup && access.acl.nonEmpty) Try(fs.setAcl(path, access.acl.asJava)): Unit
    else {
      val wanted = if (isOfGroup) access.permission else access.ofNoGroup.permission
      // Some file systems have permissions that nobody can change.
      if (now.getPermission != wanted) Try(fs.setPermission(path, wanted)): Unit
    }
  }

  /**
   * What distinguishes a file from another of its name, size and time, for files of one table; None where the file system
   * has none. A file that is copied back has another one, a file that is renamed keeps its own.
   */
  def identity(status: FileStatus): Option[String] = status match {
    case s if isLocal => LocalAccess.identity(local(s.getPath))
    case h: HdfsFileStatus => Some(h.getFileId.toString)
    case s: EtagSource => Option(s.getEtag)
    case _ => None
  }

  /** See [[TableFolder.state]]. */
  def state(status: FileStatus): Option[Long] =
    if (isLocal) stateOf(local(status.getPath))
    else
      identity(status).map { text =>
        val bytes = text.getBytes(UTF_8)
        XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, 0)
      }

  /** By the time of the last change of anything about the file, which nobody can set. */
  private def stateOf(file: LocalPath): Option[Long] =
    Try(Files.getAttribute(file, "unix:ctime").asInstanceOf[FileTime].to(TimeUnit.NANOSECONDS)).toOption

  /** The identities of files, by the first of each pair; one listing for each folder. */
  def identities[K](of: Seq[(K, Path)]): Map[K, String] =
    if (isLocal) of.flatMap { case (key, path) => LocalAccess.identity(local(path)).map(key -> _) }.toMap
    else of.groupBy(_._2.getParent).toSeq.flatMap { case (folder, its) =>
      val found = list(folder).map(s => s.getPath.getName -> s).toMap
      its.flatMap { case (key, path) => found.get(path.getName).flatMap(identity).map(key -> _) }
    }.toMap
}

private[parquet] object FolderFiles {

  /** An option of new files, and the name of the capability: Hadoop 3.4.2 and later have a constant for it. */
  val ConditionalOverwrite = "fs.option.create.conditional.overwrite"
}
