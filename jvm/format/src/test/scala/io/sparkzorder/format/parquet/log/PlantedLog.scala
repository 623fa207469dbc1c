// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogEntry.FolderChange

/** What anybody may write who may create `_zorder` in a table's folder. */
private[parquet] object PlantedLog {

  /** A rewrite that has its verdict, and replaces files of one of the table's folders by nothing. */
  def deleting(
      folder: TableFolder,
      files: Seq[ListedFile],
      in: String = "",
      keptUntil: Long = LogEntry.NotKept): Unit = {
    val log = new RewriteLog(folder)
    val entry = log.claim("planted", Seq(FolderChange(in, files, Nil)), LogState.empty, keptUntil).get
    log.decide(entry, Set(in)): Unit
  }
}
