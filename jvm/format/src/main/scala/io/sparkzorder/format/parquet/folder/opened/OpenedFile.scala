// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.io.FileDescriptor
import java.nio.channels.SeekableByteChannel
import java.nio.file.{AccessDeniedException, Files, LinkOption, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.PosixFileAttributeView

import scala.util.{Try, Using}

import io.sparkzorder.format.parquet.folder.access.LocalAccess

/**
 * A file that is open: who judges it and then changes its access changes that of this file, whichever has its name by then.
 * Java changes access by names only; Linux has a link to each open file. Where there is none (macOS, a JVM
 * without Spark's `--add-opens`), and of a file that this user may not read, it is the name that leads to the file.
 *
 * @param place
 *   the path of its name
 */
private[folder] final class OpenedFile private[opened] (
    channel: Option[SeekableByteChannel],
    byName: PosixFileAttributeView,
    place: LocalPath) {

  private val handle = channel.flatMap(OpenedFile.linkTo)

  val view: PosixFileAttributeView =
    handle.fold(byName)(Files.getFileAttributeView(_, classOf[PosixFileAttributeView]))

  /** Asks for something of the file by a path. */
  def asked[T](by: (LocalPath, Seq[LinkOption]) => T): T =
    handle.fold(by(place, Seq(NOFOLLOW_LINKS)))(by(_, Nil))

  /** Whether it has no other name elsewhere. */
  def hasOneName: Boolean = handle match {
    case Some(link) =>
      val found = Files.readAttributes(link, "unix:nlink,isRegularFile")
      found.get("nlink") == 1 && found.get("isRegularFile") == true
    case None => LocalAccess.isOnlyName(place, view.readAttributes().fileKey)
  }

  /** What it begins with, at most so many bytes; None where this user may not read it. */
  def start(bytes: Int): Option[Array[Byte]] = channel.map(OpenedFolder.startOf(_, bytes))
}

private[folder] object OpenedFile {
  import OpenedFolder._

  /**
   * Opens a file.
   *
   * @param place
   *   the path of the folder
   */
  def in[T](folder: Folder, name: LocalPath, place: LocalPath)(body: OpenedFile => T): T = {
    def opened(channel: Option[SeekableByteChannel]) =
      body(new OpenedFile(channel, viewOf(folder, name), place.resolve(name)))
    val channel =
      try Some(channelOf(folder, name))
      catch { case _: AccessDeniedException => None }
    channel.fold(opened(None))(c => Using.resource(c)(_ => opened(Some(c))))
  }

  /** One that has just been created by a channel. */
  def of(channel: SeekableByteChannel, folder: Folder, name: LocalPath, place: LocalPath): OpenedFile =
    new OpenedFile(Some(channel), viewOf(folder, name), place.resolve(name))

  /**
   * Does something by paths of two open folders that lead there whatever has the folders' names by then.
   *
   * @param body
   *   is given None where there are no such paths
   */
  def inPlaces[T](one: Folder, other: Folder)(body: Option[(LocalPath, LocalPath)] => T): T = {
    def itself(folder: Folder) = channelOf(folder, named("."))
    Using.resource(itself(one)) { a =>
      Using.resource(itself(other))(b => body(linkTo(a).flatMap(of => linkTo(b).map(of -> _))))
    }
  }

  // The fields of Java's channel; None where it has others, or does not let them be read.
  private lazy val numberOf: Option[SeekableByteChannel => Int] = Try {
    val descriptor = Class.forName("sun.nio.ch.FileChannelImpl").getDeclaredField("fd")
    val number = classOf[FileDescriptor].getDeclaredField("fd")
    Seq(descriptor, number).foreach(_.setAccessible(true))
    (channel: SeekableByteChannel) => number.getInt(descriptor.get(channel))
  }.toOption

  private def linkTo(channel: SeekableByteChannel): Option[LocalPath] = for {
    number <- numberOf
    link <- Try(LocalPath.of(s"/proc/self/fd/${number(channel)}")).toOption
    if Try(Files.readAttributes(link, "unix:nlink")).isSuccess
  } yield link
}
