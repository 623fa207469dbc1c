// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.folder

import java.nio.charset.StandardCharsets.UTF_8

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
    if (isLocal) UnixAttributes.state(local(status.getPath))
    else
      identity(status).map { text =>
        val bytes = text.getBytes(UTF_8)
        XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length, 0)
      }

  /** The identities of files, by the first of each pair; one listing for each folder. */
  def identities[K](of: Seq[(K, Path)]): Map[K, String] =
    if (isLocal) of.flatMap { case (key, path) => LocalAccess.identity(local(path)).map(key -> _) }.toMap
    else of.groupBy(_._2.getParent).toSeq.flatMap { case (folder, its) =>
      val found = list(folder).map(s => s.getPath.getName -> s).toMap
      its.flatMap { case (key, path) => found.get(path.getName).flatMap(identity).map(key -> _) }
    }.toMap
}
