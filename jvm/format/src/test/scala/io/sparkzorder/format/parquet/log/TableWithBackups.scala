// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._

import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.listing.{ListingCheck, PresentFiles, RestoredFiles}
import io.sparkzorder.format.parquet.log.LogEntry.{Added, FolderChange}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

/**
 * A table of three partitions to be saved and restored, no two of whose rows are alike.
 *
 * @param isInMemory
 *   whether it lies where nothing is waited for, if the system has such a place
 */
private[log] class TableWithBackups(isInMemory: Boolean)
    extends TableOfText(
      if (isInMemory) FolderInMemory.create("backups") else Files.createTempDirectory("backups"),
      TableWithBackups.conf) {
  import TableWithBackups._

  def create(first: Int): Unit =
    for (p <- 0 until 3; f <- 0 until 2) put(s"p=$p/old-$first-$f", Seq(0, 1).map(first + p * 100 + f * 10 + _))

  def data: Set[String] = filesOf(root).filterNot(_.split('/').exists(TableFolder.isHidden)).toSet

  /** As readers with the extension see them, and whether they warn of rows that are doubled. */
  def seen: (Set[String], Boolean) = {
    val files = data.map(idOf)
    val state = log.read()
    val out = ListingCheck.filesToExclude(state, files, bytes, new PresentFiles(folder).isAnother)
    val left = files.filterNot(f => out(f.path))
    (left.map(_.path), RestoredFiles.of(state, left, left, folder.certainOrigin).doubled.isDefined)
  }

  def rows: Seq[Int] = rowsOf(seen._1)

  def plainRows: Seq[Int] = rowsOf(data)

  private def stage(id: String, folders: Seq[String], isOld: String => Boolean): Seq[FolderChange] =
    folders.map(p => p -> seen._1.filter(f => f.startsWith(s"$p/") && isOld(f))).filter(_._2.nonEmpty).map {
      case (path, old) =>
        val added = rowsOf(old).grouped(2).zipWithIndex.map { case (rows, n) =>
          val staged = s"_zorder/staging/$id/$path/new-$id-$n"
          put(staged, rows)
          Added(staged, s"$path/new-$id-$n", root.resolve(staged).toFile.length)
        }
        FolderChange(path, old.toSeq.sorted.map(idOf), added.toSeq, folder.identities(old.toSeq))
    }

  /** Rewrites some files; a process may die in it. */
  def rewrite(
      name: String,
      partitions: Seq[Int],
      isOld: String => Boolean = _ => true,
      others: Seq[String] = Nil): Unit = {
    val id = RewriteIds.of(name)
    val since = log.read()
    log.claim(id, stage(id, partitions.map(p => s"p=$p") ++ others, isOld), since).foreach { entry =>
      new RewriteExecutor(folder, log).execute(LoggedRewrite(entry, None, isClosed = false))
    }
  }

  def delete(which: String => Boolean): Unit = filesOf(root).filter(which).foreach(f => Files.delete(root.resolve(f)))
}

private[log] object TableWithBackups {

  private[log] val conf = TableOfText.settings(classOf[CrashingWithoutSums])

  /** All files below a folder. */
  def filesOf(root: LocalPath): Seq[String] = {
    val found = Files.walk(root)
    try
      found.iterator.asScala.filter(Files.isRegularFile(_)).map(root.relativize(_).toString).toList.sorted
    finally found.close()
  }
}

/** As statements write their own files on a local disk: a sum and its file may be of two backups. */
private[log] class CrashingWithoutSums extends CrashingFileSystem {
  setWriteChecksum(false)
  setVerifyChecksum(false)
}
