// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.FileTime
import java.util.concurrent.TimeUnit

import scala.util.Try

import org.apache.hadoop.fs.{EtagSource, FileStatus, Path}
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/** What tells files of a name apart, and whether a file is as it was. */
private[folder] trait FileIdentities { self: FolderPaths with FolderLooks =>

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

  /** See [[TableFolder.origin]]. */
  def origin(path: Path): Option[String] =
    if (isLocal) LocalAccess.origin(local(path))
    else if (isStore) None
    else status(path).collect { case h: HdfsFileStatus => h.getFileId.toString }

  /** See [[TableFolder.state]]. */
  def state(status: FileStatus): Option[Long] =
    if (isLocal) stateOf(local(status.getPath))
    else
      identity(status).map { text =>
        val bytes = text.getBytes(UTF_8)
        XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, 0)
      }

  /**
   * By the file's number, and the time of the last change of anything about it, which nobody can set: a change of many
   * files may give them one time, and to exchange folders changes nothing about the files in them. The command line
   * computes it, too (`_footers/clusterings.py`).
   */
  private def stateOf(file: LocalPath): Option[Long] = Try {
    val found = Files.readAttributes(file, "unix:ino,ctime")
    val changed = found.get("ctime").asInstanceOf[FileTime].to(TimeUnit.NANOSECONDS)
    changed + found.get("ino").asInstanceOf[Long] * FileIdentities.Spread
  }.toOption

  /** The identities of files, by the first of each pair; one listing for each folder. */
  def identities[K](of: Seq[(K, Path)]): Map[K, String] =
    if (isLocal) of.flatMap { case (key, path) => LocalAccess.identity(local(path)).map(key -> _) }.toMap
    else of.groupBy(_._2.getParent).toSeq.flatMap { case (folder, its) =>
      val found = list(folder).map(s => s.getPath.getName -> s).toMap
      its.flatMap { case (key, path) => found.get(path.getName).flatMap(identity).map(key -> _) }
    }.toMap
}

private object FileIdentities {

  // 2 ** 64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4): numbers of files get far from each other.
  private val Spread = 0x9e3779b97f4a7c15L
}
