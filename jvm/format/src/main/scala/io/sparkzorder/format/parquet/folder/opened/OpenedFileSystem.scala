// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.ByteBuffer
import java.nio.channels.SeekableByteChannel
import java.nio.file.{Files, NoSuchFileException, Path => LocalPath}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  BufferedFSInputStream,
  FSDataInputStream,
  FSInputStream,
  FileSystem,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}

/**
 * Hadoop's local files, of which those of a table are opened through the folders from the table's own to theirs, each such
 * that it cannot be a link: of a partition that somebody exchanges for a link while a statement reads it, the rows of files
 * elsewhere would come into the table.
 */
private[parquet] final class OpenedFileSystem extends LocalFileSystem(new OpenedFiles) {

  override def initialize(uri: URI, conf: Configuration): Unit = {
    super.initialize(uri, conf)
    setVerifyChecksum(conf.getBoolean(OpenedFileSystem.SumsKey, true))
  }
}

private[parquet] object OpenedFileSystem {

  private[opened] val RootKey = "fs.zorder-opened.root"
  private[opened] val KeyOfRootKey = "fs.zorder-opened.key"
  private[opened] val SumsKey = "fs.zorder-opened.sums"
  private[opened] val ListedKey = "fs.zorder-opened.listed"

  /**
   * Settings by which readers take it for local files.
   *
   * @param root
   *   the table's folder, in which all files are that they open
   * @param key
   *   what distinguishes that folder from another one to which its name leads later: in this process none is read
   * @param hasSums
   *   whether files are compared with the sums beside them
   * @param listed
   *   the identities of the files by their paths in the table, which the caller keeps: in this process no other file is read.
   *   None where they have not been asked for
   */
  def settings(
      root: LocalPath,
      key: Option[AnyRef],
      hasSums: Boolean,
      listed: Option[Map[String, String]]): Map[String, String] = Map(
    "fs.file.impl" -> classOf[OpenedFileSystem].getName,
    // Else it would be every reader's.
    "fs.file.impl.disable.cache" -> "true",
    SumsKey -> hasSums.toString,
    KeyOfRootKey -> key.fold("")(KnownFiles.Process + _),
    ListedKey -> listed.fold("")(ListedFiles.keep),
    RootKey -> root.toString
  )
}

private final class OpenedFiles extends RawLocalFileSystem {
  import OpenedFolder._

  private var root: LocalPath = _
  private var keyOfRoot: Option[String] = _
  private var listed: Option[Map[String, String]] = _

  override def initialize(uri: URI, conf: Configuration): Unit = {
    super.initialize(uri, conf)
    root = LocalPath.of(conf.getRaw(OpenedFileSystem.RootKey))
    val key = conf.getRaw(OpenedFileSystem.KeyOfRootKey)
    keyOfRoot = Option(key).filter(_.startsWith(KnownFiles.Process)).map(_.drop(KnownFiles.Process.length))
    listed = ListedFiles.of(conf.getRaw(OpenedFileSystem.ListedKey))
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val file = pathToFile(path).toPath
    if (!file.startsWith(root) || file == root) throw new IOException(s"$path is no file in $root")
    // As Hadoop has it of the sums of a file whose name has no room for theirs.
    if (path.getName.endsWith(".crc") && !isNameOfFile(file.getFileName))
      throw new FileNotFoundException(s"$path: its name is too long")
    val names = root.relativize(file).iterator.asScala.toList
    def channelIn(folder: Folder, name: LocalPath) = {
      if (isFolder(folder, name)) throw new FileNotFoundException(s"$path is a folder")
      val channel = channelOf(folder, name)
      if (!isListed(OpenedFile.of(channel, folder, name, file.getParent), names)) {
        channel.close()
        throw new IOException(
          s"$path is another file than when the files were listed: run the statement again when nobody changes the table")
      }
      channel
    }
    val channel =
      try
        Using.resource(Files.newDirectoryStream(root).asInstanceOf[Folder]) { top =>
          if (keyOfRoot.exists(_ != keyOf(top).toString)) throw new IOException(s"$root leads to another folder by now")
          in(top, names.init)(channelIn(_, names.last))
        }
      catch {
        case e: NoSuchFileException => throw new FileNotFoundException(s"$path does not exist").initCause(e)
      }
    new FSDataInputStream(new BufferedFSInputStream(new ChannelInput(channel, statistics), bufferSize))
  }

  private def isListed(file: OpenedFile, names: List[LocalPath]): Boolean = listed.forall { all =>
    // Sums are of a file that is listed, or do not fit it.
    names.last.toString.endsWith(".crc") || all.get(names.mkString("/")).exists { known =>
      file.asked(LocalIdentity.identity(_, _)).exists(LocalIdentity.areOfOneFile(known, _))
    }
  }
}

private final class ChannelInput(channel: SeekableByteChannel, statistics: FileSystem.Statistics)
    extends FSInputStream {

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val read = channel.read(ByteBuffer.wrap(bytes, offset, length))
    // Spark reads the bytes that a task has read from these counts.
    if (read > 0) statistics.incrementBytesRead(read)
    read
  }

  override def seek(position: Long): Unit = channel.position(position): Unit

  override def getPos: Long = channel.position

  override def seekToNewSource(position: Long): Boolean = false

  override def close(): Unit = channel.close()
}
