// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, LinkOption, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.FileTime

import scala.util.Try

import io.sparkzorder.format.parquet.folder.access.UnixAttributes

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/** What distinguishes files of a name, and whether a file is as it was. */
private[folder] trait FileIdentities { self: FolderPaths with FolderReads =>

  /**
   * What distinguishes a file from another of its name, size and time, for files of one table; None where the file system
   * has none. A file that is copied back has another one, a file that is renamed keeps its own.
   */
  def identity(status: FileStatus): Option[String] = status match {
    case s if isLocal => LocalIdentity.identity(local(s.getPath))
    case h: HdfsFileStatus if h.getFileId != FileIdentities.NoInode => Some(h.getFileId.toString)
    case s: EtagSource => Option(s.getEtag)
    case _ => None
  }

  /**
   * The first of some files on a local disk that was there before a folder was made. None where times of birth are not known,
   * or each is by the clock of who made the file, or the clock has been set back since.
   *
   * @param now
   *   in milliseconds since 1970
   */
  def olderThan(folder: Path, files: Seq[Path], now: Long = System.currentTimeMillis()): Option[Path] =
    if (!isLocal || !LocalIdentity.hasOneClock(local(folder))) None
    else
      LocalIdentity.birth(local(folder)).filter(_ <= now).flatMap { made =>
        files.find(file => LocalIdentity.birth(local(file)).exists(_ + FileIdentities.ClockSteps < made))
      }

  /** See [[TableFolder.isLocallyVery]]. */
  def isLocallyVery(path: Path, before: String): Boolean =
    isLocal && LocalIdentity.identity(local(path)).exists(FileIdentities.areOfOneFile(before, _))

  /** See [[TableFolder.certainOrigin]]. */
  def certainOrigin(path: Path): Option[String] =
    origin(path).filterNot(found => isLocal && (found.endsWith(TableFolder.Unknown) || hasOtherNames(path)))

  private def hasOtherNames(path: Path): Boolean =
    Try(Files.getAttribute(local(path), "unix:nlink", NOFOLLOW_LINKS)).toOption.exists(_ != 1)

  /** See [[TableFolder.origin]]. */
  def origin(path: Path): Option[String] =
    if (isLocal) LocalIdentity.origin(local(path))
    else if (isStore) None
    else status(path).filter(_.isInstanceOf[HdfsFileStatus]).flatMap(identity)

  /** See [[TableFolder.state]]. */
  def state(status: FileStatus): Option[Long] =
    if (isLocal) UnixAttributes.state(local(status.getPath))
    else
      identity(status).map { text =>
        val bytes = text.getBytes(UTF_8)
        XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, 0)
      }

  /** The identities of files, by the first of each pair; one listing for each folder. */
  def identities[K](of: Seq[(K, Path)]): Map[K, String] =
    if (isLocal) of.flatMap { case (key, path) => LocalIdentity.identity(local(path)).map(key -> _) }.toMap
    else of.groupBy(_._2.getParent).toSeq.flatMap { case (folder, its) =>
      val found = list(folder).map(s => s.getPath.getName -> s).toMap
      its.flatMap { case (key, path) => found.get(path.getName).flatMap(identity).map(key -> _) }
    }.toMap
}

private[parquet] object FileIdentities {

  // In milliseconds: clocks may be set back.
  private val ClockSteps = 1000L

  // The number of every file where none is reported, as by HttpFS.
  private val NoInode = 0L

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
}

/** What distinguishes files and folders on a local disk. */
private object LocalIdentity {

  /**
   * Number, time of birth, and time of the last change of anything about the file: numbers alone are soon used again. The
   * first two stay when a file is renamed, opened or closed to others.
   */
  def identity(file: LocalPath, how: Seq[LinkOption] = Seq(NOFOLLOW_LINKS)): Option[String] =
    Try(identity(Files.readAttributes(file, "unix:ino,creationTime,ctime", how: _*))).toOption

  private def identity(found: java.util.Map[String, AnyRef]) =
    s"${found.get("ino")} ${found.get("creationTime")} ${found.get("ctime")}"

  /** As [[identity]], and the key by which another look knows the file, both by one look. */
  def keyed(file: LocalPath): Option[(AnyRef, String)] = Try {
    val found = Files.readAttributes(file, "unix:fileKey,ino,creationTime,ctime", NOFOLLOW_LINKS)
    (found.get("fileKey"), identity(found))
  }.toOption

  // Disks of a machine's own; a cluster's may take the clocks of those that make files.
  private val OfOneClock = Set("ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs", "bcachefs")

  /** Whether all times of birth below a folder are by the clock of this machine. */
  def hasOneClock(folder: LocalPath): Boolean = Try(Files.getFileStore(folder).`type`).toOption.exists(OfOneClock)

  /** In milliseconds since 1970; None where it is not known. */
  def birth(file: LocalPath): Option[Long] = Try {
    Files.readAttributes(file, "unix:creationTime", NOFOLLOW_LINKS).get("creationTime").asInstanceOf[FileTime].toMillis
  }.toOption.filter(_ => Try(hasBirths(file)).getOrElse(false))

  /** The first two of these. */
  def origin(file: LocalPath): Option[String] = Try {
    val found = Files.readAttributes(file, "unix:ino,creationTime", NOFOLLOW_LINKS)
    s"${found.get("ino")} ${if (hasBirths(file)) found.get("creationTime") else TableFolder.Unknown}"
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
