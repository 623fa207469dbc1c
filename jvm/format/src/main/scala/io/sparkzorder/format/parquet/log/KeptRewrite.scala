// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import scala.annotation.meta.getter

import com.fasterxml.jackson.annotation.JsonInclude
import com.fasterxml.jackson.annotation.JsonInclude.Include
import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogEntry.Link

/**
 * A rewrite of which the old files are kept.
 *
 * @param replacedAt
 *   the time of the rewrite, in milliseconds since 1970, as is `keptUntil`
 * @param folders
 *   the folders that have their new files
 * @param isOfRecovery
 *   whether the process that wrote this down had read it in an entry of the log, of whomever
 */
private[parquet] final case class KeptRewrite(
    number: Long,
    id: String,
    replacedAt: Long,
    keptUntil: Long,
    folders: Seq[KeptRewrite.Folder],
    @(JsonInclude @getter)(Include.NON_DEFAULT) isOfRecovery: Boolean = false) {

  def link: Link = Link(number, id)
}

private[parquet] object KeptRewrite {

  /**
   * @param replaced
   *   files that are kept, as they were in the table
   * @param added
   *   files that came in their place, as they were when they had come
   * @param identities
   *   of the added files, as of [[LogEntry.FolderChange]]
   */
  final case class Folder(
      path: String,
      replaced: Seq[ListedFile],
      added: Seq[ListedFile],
      identities: Map[String, String]) {

    // Whoever may write to the table may have written a null among them.
    def identity(file: ListedFile): Option[String] = identities.get(file.path).filter(_ != null)
  }

  // The end of the year 9999, which a timestamp of Spark's holds.
  private val LastTime = 253402300799999L

  /** Why a document cannot be one of ours; whoever may write to the table may have written it. */
  private[log] def fault(rewrite: KeptRewrite): Option[String] = {
    def isTime(millis: Long) = millis >= 0 && millis <= LastTime
    if (rewrite == null || rewrite.id == null || rewrite.folders == null) Some("a part of it is missing")
    else if (!isTime(rewrite.replacedAt) || !isTime(rewrite.keptUntil)) Some("a time of it is none")
    else rewrite.folders.iterator.map(fault).collectFirst { case Some(what) => what }
  }

  private def fault(f: Folder): Option[String] =
    if (f == null || f.path == null || f.replaced == null || f.added == null || f.identities == null)
      Some("a part of a folder is missing")
    else
      (f.replaced ++ f.added).find(file => file == null || !isDataFile(file.path)).map { file =>
        if (file == null) "a file is missing" else s"${file.path} is no path of a data file"
      }

  /** Catalogs have partitions in folders of any name, but the own one has no data. */
  private def isDataFile(path: String): Boolean = path != null && !TableFolder.isOwn(path)
}
