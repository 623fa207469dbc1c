// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

/** What goes wrong while a Parquet table is rewritten, or a rewrite undone: rights, locks, concurrent writers, the log. */
private[errors] trait RewriteErrors extends ErrorBuilder {

  def noWritePermission(table: String, folder: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_NO_WRITE_PERMISSION", cause, "table" -> table, "folder" -> folder)

  /** `own`: a folder of what is kept of the table. */
  def ownFolderClosed(own: String, owner: String, folder: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_OWN_FOLDER_CLOSED", cause, "own" -> own, "owner" -> owner, "folder" -> folder)

  def pathOutsideTable(path: String, folder: String): ZOrderRuntimeException = {
    val isOwn = path.split('/').contains("_zorder")
    val remedy =
      if (isOwn)
        "What lies in _zorder is made by statements on the table, none of which makes links: find out who put it there, and remove it."
      else
        "Choose other partitions with WHERE; if the path stands in the table's _zorder/log, find out who wrote it there."
    failure("ZORDER_PATH_OUTSIDE_TABLE", "path" -> path, "folder" -> folder, "remedy" -> remedy)
  }

  def cannotMove(from: String, to: String): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_MOVE", "from" -> from, "to" -> to)

  /** `holder`: who has the lock. */
  def tableLocked(folder: String, holder: String): ZOrderRuntimeException =
    failure("ZORDER_TABLE_LOCKED", "folder" -> folder, "holder" -> holder)

  def lockLost(folder: String): ZOrderRuntimeException = failure("ZORDER_LOCK_LOST", "folder" -> folder)

  /** `file`: relative to the table. */
  def namedFilesReplaced(table: String, file: String): ZOrderRuntimeException =
    failure("ZORDER_NAMED_FILES_REPLACED", "table" -> table, "file" -> file)

  /** `folders`: relative to the table. */
  def filesChanged(table: String, folders: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_FILES_CHANGED",
      "table" -> table,
      "folders" -> list(folders.map(f => if (f.isEmpty) "the table's own folder" else f)))

  def newerLog(folder: String, version: Int): ZOrderRuntimeException =
    failure("ZORDER_NEWER_LOG", "folder" -> folder, "version" -> version.toString)

  /** `reason`: what the file system or the reader says. */
  def unreadableLog(file: String, reason: String, cause: Throwable): ZOrderRuntimeException = {
    val table = s"parquet.`${file.replaceFirst("/_zorder/.*", "")}`"
    failure("ZORDER_UNREADABLE_LOG", cause, "file" -> file, "reason" -> reason, "table" -> table)
  }

  /** `statement`: what asks for tables of which this project itself keeps the log. */
  def notRepairable(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_NOT_REPAIRABLE", "table" -> table, "statement" -> statement)

  /** `documents`: what cannot be read. `files`: of the rewrite, and others that may hold its rows. */
  def cannotRepair(table: String, documents: Seq[String], reason: String, files: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_CANNOT_REPAIR",
      "table" -> table,
      "documents" -> list(documents),
      "reason" -> reason,
      "files" -> list(files))

  /** `files`: those that were restored. */
  def doubledRows(table: String, files: Seq[String], advice: String): ZOrderRuntimeException =
    failure("ZORDER_DOUBLED_ROWS", "table" -> table, "files" -> list(files), "advice" -> advice)

  /** `own`: what is kept of the table. */
  def noReadPermission(own: String, folder: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_NO_READ_PERMISSION", cause, "own" -> own, "folder" -> folder)

  /** `path`: where a folder for what is kept of the table is to be. */
  def fileInTheWay(path: String): ZOrderRuntimeException = failure("ZORDER_FILE_IN_THE_WAY", "path" -> path)

  /** `path`: relative to the table's `folder`; `encoding`: that of names of files. */
  def fileNameEncoding(path: String, folder: String, encoding: String): ZOrderRuntimeException =
    failure("ZORDER_FILE_NAME_ENCODING", "path" -> path, "folder" -> folder, "encoding" -> encoding)

  /** `path`: what lies in `own`, the own folder of the table's `folder`, and is nothing of what is kept there. */
  def dataInOwnFolder(path: String, own: String, folder: String): ZOrderRuntimeException =
    failure("ZORDER_DATA_IN_OWN_FOLDER", "path" -> path, "own" -> own, "folder" -> folder)

  /** `path`: something of what is kept of the table; `fault`: what is wrong with it, `belongs to nobody`. */
  def notTrusted(path: String, fault: String, folder: String): ZOrderRuntimeException =
    failure("ZORDER_NOT_TRUSTED", "path" -> path, "fault" -> fault, "folder" -> folder)

  /** `part`: a folder of the table, relative to it; `owner`: that of the table's own folder. */
  def closedToOwner(table: String, part: String, owner: String): ZOrderRuntimeException =
    failure("ZORDER_CLOSED_TO_OWNER", "table" -> table, "folder" -> part, "owner" -> owner)

  def rewriteOvertaken(folder: String, cause: Throwable = null): ZOrderRuntimeException =
    failure("ZORDER_REWRITE_OVERTAKEN", cause, "folder" -> folder)

  def listingOvertaken(folder: String): ZOrderRuntimeException =
    failure("ZORDER_LISTING_OVERTAKEN", "folder" -> folder)

  /** `files`: those that had to go, relative to the table. */
  def cannotDelete(folder: String, files: Seq[String]): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_DELETE", "folder" -> folder, "files" -> list(files))

  def cannotCreate(file: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_CANNOT_CREATE", cause, "file" -> file)

  /** `ways`: values of `setting`. */
  def noExclusiveCreation(folder: String, scheme: String, setting: String, ways: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_NO_EXCLUSIVE_CREATION",
      "folder" -> folder,
      "scheme" -> scheme,
      "setting" -> setting,
      "ways" -> list(ways))

  /** `reason`: what came of a write that was to succeed once. */
  def noConditionalWrites(folder: String, reason: String): ZOrderRuntimeException =
    failure("ZORDER_NO_CONDITIONAL_WRITES", "folder" -> folder, "reason" -> reason)

  /** `location`: relative to the table's folder. */
  def partitionInOwnFolder(folder: String, location: String): ZOrderRuntimeException =
    failure("ZORDER_PARTITION_IN_OWN_FOLDER", "folder" -> folder, "location" -> location)

  /** `location`: relative to the table's folder. */
  def sharedLocation(folder: String, location: String): ZOrderRuntimeException =
    failure("ZORDER_SHARED_LOCATION", "folder" -> folder, "location" -> location)

  // Files that a rewrite has replaced, to be kept or to come back

  def keepsByItself(table: String): ZOrderAnalysisException = error("ZORDER_KEEPS_OLD_FILES", "table" -> table)

  /** `statement`: what asks for tables of which this project keeps replaced files. */
  def notRestorable(table: String, statement: String): ZOrderAnalysisException =
    error("ZORDER_NOT_RESTORABLE", "table" -> table, "statement" -> statement)

  /** `file`: what says which files of a rewrite are kept. `kept`: the folder of these. */
  def unreadableKept(file: String, reason: String, kept: String, cause: Throwable): ZOrderRuntimeException =
    failure("ZORDER_UNREADABLE_KEPT_FILES", cause, "file" -> file, "reason" -> reason, "kept" -> kept)

  /** `known`: the rewrites of which files are kept. */
  def noSuchRewrite(table: String, rewrite: Long, known: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_NO_SUCH_REWRITE",
      "table" -> table,
      "rewrite" -> rewrite.toString,
      "known" -> list(known))

  /** `gone`: files that the rewrite had written. `notKept`: files that it had replaced. */
  def cannotRestore(table: String, rewrite: Long, gone: Seq[String], notKept: Seq[String]): ZOrderRuntimeException =
    failure(
      "ZORDER_CANNOT_RESTORE",
      "table" -> table,
      "rewrite" -> rewrite.toString,
      "gone" -> list(gone),
      "notKept" -> list(notKept))
}
