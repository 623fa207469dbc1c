// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.io.{FileNotFoundException, IOException, InputStream}
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.StandardOpenOption.{CREATE_NEW, READ, SYNC, WRITE}
import java.util.concurrent.CompletableFuture

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.access.{Access, NewAccess, UploadParts}
import io.sparkzorder.format.parquet.folder.opened.{CopiedFile, CreatedFile, KnownFiles}

import org.apache.hadoop.fs.{FSDataOutputStream, FileSystem, FileUtil, MultipartUploader, Path, PathHandle}
import org.apache.hadoop.fs.StreamCapabilities
import org.apache.hadoop.fs.impl.FileSystemMultipartUploader
import org.apache.hadoop.security.AccessControlException
import org.apache.hadoop.util.functional.FutureIO

/**
 * Every operation on the file system below a table's folder: statements touch the files of a table by nothing else but the
 * readers and writers of Parquet.
 *
 * @param root
 *   the table's folder, qualified
 */
private[folder] class FolderFiles(fs: FileSystem, root: Path)
    extends FolderPaths(fs, root)
    with FolderReads
    with FolderAccess
    with FileIdentities
    with FolderTrust {

  /** Writes a small file, also in the place of another. A reader may see a part of it where the file system is such. */
  def write(path: Path, content: Array[Byte], access: Access): Unit = checked(path) {
    // The own folders of a store have no folder of such a name, which it would be asked for.
    complete(if (isStore) unseen(path) else fs.create(path, true)) { out =>
      out.write(content)
      // What a store has closed is safe. On GCS a call for it makes a second object, which others see, and composes both.
      if (!isStore) out.hsync()
    }
    protect(path, access)
  }

  /** As [[write]], in the place of a file of an identity; false where a local one is another by then, which stays. */
  def writeOver(path: Path, content: Array[Byte], access: Access, identity: Option[String]): Boolean = {
    write(path, content, access)
    true
  }

  /** Creates a small file that must not be there. */
  def createNew(path: Path, content: Array[Byte]): Unit =
    checked(path)(complete(fs.create(path, false))(_.write(content)))

  /** Whether of two streams for a new file, both opened before one is closed, only the first creates it. */
  def isCreatedOnce(path: Path, content: Array[Byte]): Boolean = checked(path) {
    def close(out: FSDataOutputStream) = complete(out)(_.write(content))
    val first = fs.create(path, false)
    // A store compares when a stream is closed, others when it is opened.
    val second = Try(fs.create(path, false))
    close(first)
    second.flatMap(out => Try(close(out))).isFailure
  }

  /** As [[createNew]], on stores that compare when the stream is closed. */
  def createConditionally(path: Path, content: Array[Byte]): Unit = checked(path) {
    val created = fs.createFile(path).overwrite(false).recursive().must(FolderFiles.ConditionalOverwrite, true)
    complete(created.build())(_.write(content))
    isFound(path.getParent)
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
  def createUnseen(path: Path, content: Array[Byte]): Unit = checked(path)(complete(unseen(path))(_.write(content)))

  private def unseen(path: Path): FSDataOutputStream =
    fs.createFile(path).overwrite(true).recursive().opt("fs.s3a.create.performance", true).build()

  // Files that are sent in parts

  // Where Hadoop collects parts in a folder, the name of an upload is that folder's path: an abort of one that somebody made
  // up would delete any folder.
  private def uploader: MultipartUploader =
    fs.createMultipartUploader(root).build().asInstanceOf[MultipartUploader] match {
      case folders: FileSystemMultipartUploader =>
        throw new UnsupportedOperationException(s"$folders: no uploads of a store")
      case ofStore => ofStore
    }

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

  /** See [[TableFolder.isPlain]]. */
  def isPlain: Boolean = false

  /** See [[TableFolder.readSettings]]. */
  def readSettings(listed: Option[Map[String, String]]): Map[String, String] = Map.empty

  /** See [[TableFolder.created]]. */
  def created(path: Path, access: Access): CreatedFile =
    throw new UnsupportedOperationException(s"$path: by paths alone")

  /** Gives a file on a local disk another name, which must be new. */
  def link(file: Path, name: Path): Unit = checked(file, name)(Files.createLink(local(name), local(file)))

  /** @return false, or an error, where it could not be moved */
  def rename(from: Path, to: Path): Boolean = checked(from, to)(fs.rename(from, to))

  /**
   * As [[rename]], of a file of an identity; see [[deleteVery]].
   *
   * @param closed
   *   how closed it has to be where it comes to, by itself or by the folder; None where it is anyhow
   */
  def renameVery(from: Path, to: Path, identity: Option[String], closed: Option[NewAccess]): Boolean = rename(from, to)

  /** As [[rename]], to where a local file is no more open than it was in its folder. */
  def renameAsClosed(from: Path, to: Path): Boolean = rename(from, to)

  /** See [[TableFolder.renameBeside]]. */
  def renameBeside(from: Path, to: Path, others: Iterable[(Path, String)]): Boolean = rename(from, to)

  /** See [[TableFolder.hold]]. */
  def hold(path: Path, bytes: Long): Unit = ()

  /** See [[TableFolder.release]]. */
  def release(folder: Path): Unit = ()

  /** Releases all that are held. */
  def releaseAll(): Unit = ()

  /** See [[TableFolder.isInHeldFolder]]. */
  def isInHeldFolder(path: Path, bytes: Long): Boolean = false

  /** Likewise, of a file that was listed. */
  def isInHeldFolder(path: Path, file: ListedFile, identity: Option[String]): Boolean = false

  /**
   * Waits until a file with all that was written into it, or a folder with its names, is on a local disk: what is closed
   * may be in memory only. HDFS and stores have taken over what is closed.
   */
  def sync(path: Path): Unit =
    if (isLocal) checked(path)(Using.resource(FileChannel.open(local(path), READ))(_.force(true)))

  /** See [[TableFolder.copy]]. */
  def copy(from: Path, to: Path, access: Access): CopiedFile = checked(from, to) {
    if (!FileUtil.copy(fs, from, fs, to, false, false, fs.getConf))
      throw new IOException(s"$from cannot be copied to $to")
    if (isLocal) protect(to, access)
    CopiedFile(KnownFiles.none, None)
  }

  /**
   * Deletes a file, or an empty folder. Where the system can show that the table's name leads to another folder than
   * when this object was made, neither this nor another method deletes or moves anything there.
   */
  def delete(path: Path): Unit = checked(path.getParent)(fs.delete(path, false): Unit)

  /**
   * Deletes files, many with a call where the file system can.
   *
   * @throws IOException
   *   where some could not be deleted, when all have been tried
   */
  def deleteFiles(paths: Seq[Path]): Unit = checked(paths: _*) {
    val failed = Using.resource(fs.createBulkDelete(root)) { bulk =>
      paths.grouped(bulk.pageSize).flatMap(page => bulk.bulkDelete(page.asJava).asScala).toSeq
    }
    failed.headOption.foreach { failure =>
      throw new IOException(s"${failed.size} files, of them ${failure.getKey}: ${failure.getValue}")
    }
  }

  /**
   * As [[delete]], of a file.
   *
   * @param identity
   *   see [[FileIdentities.identity]]: on a local disk another file stays, also where somebody has moved folders since it was
   *   looked at. None where it is not known
   */
  def deleteVery(path: Path, identity: Option[String]): Unit = delete(path)

  /** Deletes a folder that is empty when it is deleted: a concurrent statement may have begun. */
  def deleteEmpty(path: Path): Unit = checked(path) {
    // Hadoop looks whether a local folder is empty, and then deletes it with whatever is in it.
    if (isLocal) Files.delete(local(path)) else fs.delete(path, false): Unit
  }

  /**
   * Deletes a folder with all that is in it. On a local disk what not all who may write into the table's folder may delete
   * stays, where one of them may have moved it there.
   *
   * @param isOwn
   *   whether a file can be none of the table's, by its path below the folder, size and time
   * @param isOurs
   *   whether what nobody else may put there counts as ours: not of what lay there when others might
   * @param word
   *   see [[FileRemoval.removeAll]]
   * @throws IOException
   *   where something stays, on a local disk
   */
  def deleteAll(path: Path, isOwn: ListedFile => Boolean, isOurs: Boolean, word: Seq[Path]): Unit =
    checked(path.getParent)(fs.delete(path, true): Unit)

  /** See [[TableFolder.trusting]]. */
  def trusting[T](documents: Seq[Path])(body: => T): T = body

  /** Whether that is being done. */
  def isTrusting: Boolean = false

  /**
   * Creates a folder in one that is there.
   *
   * @throws AccessControlException
   *   where there is none afterwards, as in an immutable folder or on a read-only disk
   */
  def makeFolder(path: Path, access: Access): Unit = checked(path) {
    requireThere(path, wasMade = fs.mkdirs(path))
    protect(path, access)
  }

  /** @param wasMade false where it could not be made */
  protected def requireThere(path: Path, wasMade: Boolean): Unit = if (!isThere(path)) {
    // A statement that ends deletes folders that are empty.
    if (wasMade || !isThere(path.getParent)) throw new FileNotFoundException(s"$path has been deleted")
    throw new AccessControlException(s"$path cannot be created")
  }
}

private[parquet] object FolderFiles {

  /** An option of new files, and the name of the capability: Hadoop 3.4.2 and later have a constant for it. */
  val ConditionalOverwrite = "fs.option.create.conditional.overwrite"
}
