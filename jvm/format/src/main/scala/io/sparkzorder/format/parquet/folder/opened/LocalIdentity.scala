// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder.opened

import java.nio.file.{Files, LinkOption, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.{BasicFileAttributes, FileTime}
import java.time.Instant
import java.util.concurrent.TimeUnit

import scala.util.Try

import io.sparkzorder.format.parquet.folder.access.UnixAttributes

/** What distinguishes files and folders on a local disk. */
private[parquet] object LocalIdentity {

  /** A part of an origin that the file system does not report. */
  private[folder] val Unknown = "-"

  /** The parts of an identity that stay when a file is renamed, opened or closed to others. */
  def origin(identity: String): String = identity.split(' ').take(2).mkString(" ")

  /**
   * Whether two identities are of one file, whatever has become of it. Where a Java, or another machine, knows no times of
   * birth, it gives others in their place: a file of one number is the same also if nothing about it has changed.
   */
  def areOfOneFile(before: String, now: String): Boolean = origin(before) == origin(now) || {
    val (old, all) = (before.split(' '), now.split(' '))
    old.length == 3 && all.length == 3 && old.head == all.head && old.last == all.last
  }

  /**
   * Number, time of birth, and time of the last change of anything about the file: numbers alone are soon used again. The
   * first two stay when a file is renamed, opened or closed to others.
   */
  private[folder] def identity(file: LocalPath, how: Seq[LinkOption] = Seq(NOFOLLOW_LINKS)): Option[String] =
    Try(identity(Files.readAttributes(file, "unix:ino,creationTime,ctime", how: _*))).toOption

  private def identity(found: java.util.Map[String, AnyRef]) =
    s"${found.get("ino")} ${found.get("creationTime")} ${found.get("ctime")}"

  /** As [[identity]], and the key by which another look knows the file, both by one look. */
  private[folder] def keyed(file: LocalPath): Option[(AnyRef, String)] = Try {
    val found = Files.readAttributes(file, "unix:fileKey,ino,creationTime,ctime", NOFOLLOW_LINKS)
    (found.get("fileKey"), identity(found))
  }.toOption

  /** As [[UnixAttributes.state]] of the file when it had this identity. */
  private[folder] def state(identity: String): Option[Long] = Try {
    val Array(number, _, changed) = identity.split(' ')
    val at = Instant.parse(changed)
    UnixAttributes.state(number.toLong, TimeUnit.SECONDS.toNanos(at.getEpochSecond) + at.getNano)
  }.toOption

  // In milliseconds: clocks may be set back.
  private[folder] val ClockSteps = 1000L

  // Disks of a machine's own; a cluster's may take the clocks of those that make files.
  private val OfOneClock = Set("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs", "bcachefs")

  /** Whether all times of birth below a folder are by the clock of this machine. */
  private[folder] def hasOneClock(folder: LocalPath): Boolean =
    Try(Files.getFileStore(folder).`type`).toOption.exists(OfOneClock)

  /** As the [[origin]] of an identity, of a file in an open folder, whose number Java gives in a text; None where that has another form. */
  private[folder] def origin(found: BasicFileAttributes): Option[String] = String.valueOf(found.fileKey) match {
    case s"(dev=$_,ino=$number)" => Some(s"$number ${found.creationTime}")
    case _ => None
  }

  /** In milliseconds since 1970; None where it is not known. */
  private[folder] def birth(file: LocalPath): Option[Long] = Try {
    Files.readAttributes(file, "unix:creationTime", NOFOLLOW_LINKS).get("creationTime").asInstanceOf[FileTime].toMillis
  }.toOption.filter(_ => Try(hasBirths(file)).getOrElse(false))

  /** The first two of these. */
  private[folder] def origin(file: LocalPath): Option[String] = Try {
    val found = Files.readAttributes(file, "unix:ino,creationTime", NOFOLLOW_LINKS)
    s"${found.get("ino")} ${if (hasBirths(file)) found.get("creationTime") else Unknown}"
  }.toOption

  /**
   * Whether times of birth are known. Where a file system or an older Java has none, Java gives that of the last change,
   * which for a folder is another one with each file in it. Of one file both may be the same by chance: so the folders
   * above it on that disk are looked at, too.
   */
  private def hasBirths(file: LocalPath): Boolean = {
    val above = Iterator.iterate(file)(_.getParent).takeWhile(_ != null)
      .map(Files.readAttributes(_, "unix:dev,creationTime,lastModifiedTime", NOFOLLOW_LINKS)).buffered
    val disk = above.head.get("dev")
    above.takeWhile(_.get("dev") == disk).exists(f => f.get("creationTime") != f.get("lastModifiedTime"))
  }
}
