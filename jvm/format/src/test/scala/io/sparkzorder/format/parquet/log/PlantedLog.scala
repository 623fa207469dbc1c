// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import io.sparkzorder.format.ListedFile
import io.sparkzorder.format.parquet.folder.{FileUpload, TableFolder}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}

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
    log.giveVerdict(entry, Set(in)): Unit
  }

  /** A rewrite without a verdict, and its one new file, of which it says that it is uploaded. */
  def uploading(folder: TableFolder, handle: String): Unit = {
    val upload = FileUpload(ByteBuffer.wrap(handle.getBytes(UTF_8)), IndexedSeq.empty).text
    val added = Added(s"${TableFolder.Name}/staging/planted/x", "x.parquet", 1, Some(upload))
    new RewriteLog(folder).claim("planted", Seq(FolderChange("", Nil, Seq(added))), LogState.empty).get: Unit
  }
}
