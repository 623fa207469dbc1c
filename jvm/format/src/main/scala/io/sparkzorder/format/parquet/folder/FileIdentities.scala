// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.LinkOption.NOFOLLOW_LINKS

import scala.util.Try

import io.sparkzorder.format.parquet.folder.access.UnixAttributes
import io.sparkzorder.format.parquet.folder.opened.LocalIdentity

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
        files.find(file => LocalIdentity.birth(local(file)).exists(_ + LocalIdentity.ClockSteps < made))
      }

  /** See [[TableFolder.isLocallyVery]]. */
  def isLocallyVery(path: Path, before: String): Boolean =
    isLocal && LocalIdentity.identity(local(path)).exists(LocalIdentity.areOfOneFile(before, _))

  /** See [[TableFolder.certainOrigin]]. */
  def certainOrigin(path: String): Option[String] =
    if (!isLocal) origin(new Path(root, new Path(null, null, path)))
    else {
      // Other names are looked for first, which is one call: a table that was copied by links has very many such files.
      val file = local(root).resolve(path)
      if (hasOtherNames(file) || hasLink(file)) None
      else LocalIdentity.origin(file).filterNot(_.endsWith(LocalIdentity.Unknown))
    }

  private def hasOtherNames(file: LocalPath): Boolean =
    Try(Files.getAttribute(file, "unix:nlink", NOFOLLOW_LINKS)).toOption.exists(_ != 1)

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

  /** See [[TableFolder.stateOf]]. */
  def stateOf(status: FileStatus, identity: Option[String]): Option[Long] =
    (if (isLocal) identity.flatMap(LocalIdentity.state) else None).orElse(state(status))

  /** The identities of files, by the first of each pair; one listing for each folder. */
  def identities[K](of: Seq[(K, Path)]): Map[K, String] =
    if (isLocal) of.flatMap { case (key, path) => LocalIdentity.identity(local(path)).map(key -> _) }.toMap
    else of.groupBy(_._2.getParent).toSeq.flatMap { case (folder, its) =>
      val found = list(folder).map(s => s.getPath.getName -> s).toMap
      its.flatMap { case (key, path) => found.get(path.getName).flatMap(identity).map(key -> _) }
    }.toMap
}

private object FileIdentities {

  // The number of every file where none is reported, as by HttpFS.
  private val NoInode = 0L
}
