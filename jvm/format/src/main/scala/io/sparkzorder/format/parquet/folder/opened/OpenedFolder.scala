// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SeekableByteChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{FileSystems, Files, NoSuchFileException, OpenOption, Path => LocalPath, SecureDirectoryStream}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardOpenOption.READ
import java.nio.file.attribute.{BasicFileAttributeView, PosixFileAttributeView}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

/**
 * What is done by names in an open folder: the system follows no link to it, and finds it wherever the folder's own name
 * leads by then.
 */
private[folder] object OpenedFolder {

  type Folder = SecureDirectoryStream[LocalPath]

  /** Whether the system can. */
  lazy val arePossible: Boolean =
    Try(Using.resource(Files.newDirectoryStream(named("/")))(_.isInstanceOf[SecureDirectoryStream[_]])).getOrElse(false)

  def named(name: String): LocalPath = FileSystems.getDefault.getPath(name)

  /** @throws java.io.IOException where it is no folder; for the other end of a pipe one would wait */
  def opened(in: Folder, name: LocalPath): Folder = {
    requireNotSpecial(in, name)
    in.newDirectoryStream(name, NOFOLLOW_LINKS).asInstanceOf[Folder]
  }

  /** Opens folders, each in the one before it. */
  def in[T](folder: Folder, names: List[LocalPath])(body: Folder => T): T = names match {
    case Nil => body(folder)
    case name :: rest => Using.resource(opened(folder, name))(in(_, rest)(body))
  }

  def requireNotSpecial(in: Folder, name: LocalPath): Unit =
    if (viewOf(in, name).readAttributes().isOther) throw new IOException(s"$name is neither a file nor a folder")

  /** Opens a file that is there, and no link to one; a pipe would be waited for. */
  def channelOf(in: Folder, name: LocalPath, how: OpenOption = READ): SeekableByteChannel = {
    requireNotSpecial(in, name)
    in.newByteChannel(name, Set[OpenOption](how, NOFOLLOW_LINKS).asJava)
  }

  /** What a file begins with, at most so many bytes. */
  def startOf(in: SeekableByteChannel, bytes: Int): Array[Byte] = {
    val buffer = ByteBuffer.allocate(math.min(bytes.toLong, in.size).toInt)
    in.position(0)
    while (buffer.hasRemaining && in.read(buffer) >= 0) {}
    java.util.Arrays.copyOf(buffer.array, buffer.position())
  }

  def namesIn(folder: Folder): List[LocalPath] = folder.asScala.map(_.getFileName).toList

  /** What distinguishes a folder from all others that are there. */
  def keyOf(folder: Folder): AnyRef =
    folder.getFileAttributeView(classOf[BasicFileAttributeView]).readAttributes().fileKey

  def isFolder(folder: Folder, name: LocalPath): Boolean = viewOf(folder, name).readAttributes().isDirectory

  def viewOf(folder: Folder, name: LocalPath): PosixFileAttributeView =
    folder.getFileAttributeView(name, classOf[PosixFileAttributeView], NOFOLLOW_LINKS)

  /** Of the folder itself. */
  def viewOf(folder: Folder): PosixFileAttributeView = folder.getFileAttributeView(classOf[PosixFileAttributeView])

  /** The name of the file of sums that Hadoop keeps beside a file. */
  def sumOf(name: LocalPath): LocalPath = named(s".$name.crc")

  // Of the file systems of Linux and of Java's other ones, in bytes.
  private val LongestName = 255

  /** Does something with the sums that Hadoop keeps of a file: none where their name would be too long. */
  def ofSums(name: LocalPath)(body: LocalPath => Unit): Boolean =
    isNameOfFile(sumOf(name)) && ifThere(body(sumOf(name)))

  def isNameOfFile(name: LocalPath): Boolean = name.toString.getBytes(UTF_8).length <= LongestName

  /** Does something with a file, and with its sums. */
  def withSums(name: LocalPath)(body: LocalPath => Unit): Unit = {
    body(name)
    ofSums(name)(body): Unit
  }

  /** Whether there was what `body` needs. */
  def ifThere(body: => Unit): Boolean =
    try {
      body
      true
    } catch { case _: NoSuchFileException => false }
}
