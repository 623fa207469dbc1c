// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.errors.RememberedWarnings
import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.log.LogState

import org.apache.spark.internal.Logging

/**
 * Files of a listing that a rewrite had replaced, or had taken back, and that are read all the same: restored since it was
 * closed, or there while new files of their folder are gone.
 *
 * @param files
 *   their paths, sorted
 * @param doubled
 *   those of them beside which files that may have their rows are read
 */
private[parquet] final case class RestoredFiles(files: Seq[String], doubled: Option[DoubledRows])

private[parquet] object RestoredFiles extends Logging {

  /**
   * In their own folder they are known by names and sizes: few ways to restore files keep more, and who has written others of
   * these names takes the new files for gone. Whether they are the very files, or have the same rows, nobody knows.
   *
   * @param listed
   *   the files that are read
   * @param renamed
   *   those of them that may lie in folders that were renamed, or into which files were moved
   * @param isMoved
   *   whether a file is certainly one that lay elsewhere, by its path and what distinguished that one
   */
  def of(
      state: LogState,
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile],
      isMoved: (String, String) => Boolean): RestoredFiles = {
    val outdated = state.rewrites.filter(ListingCheck.isRemembered).flatMap(OutdatedFiles.of(state, _))
    val paths = outdated.flatMap(_.files.map(_.path)).toSet
    val there = listed.iterator.filter(f => paths(f.path)).map(f => f.path -> f.bytes).toSet
    lazy val read = listed.iterator.map(_.path).toSet
    val found = outdated.map(of => of -> of.restored(there)).filter(_._2.nonEmpty)
    val doubled = found.filter(_._1.areDoubled(read)).flatMap(_._2) ++
      elsewhere(state, outdated, listed, renamed, isMoved).collect {
        case (of, file) if of.areDoubled(read, Some(ListedFile.folderOf(file))) => file
      }
    val files = doubled.distinct.sorted
    RestoredFiles(
      (found.flatMap(_._2) ++ files).distinct.sorted,
      Option.when(files.nonEmpty)(DoubledRows(files)))
  }

  /**
   * Such files that lie in another folder by now: the very files, where the file system can tell; and, as copies are others,
   * such as lie in a folder in which no rewrite has put any, where the folder in which they were is not there. Files of one
   * task have one name in several folders, and may have one size.
   */
  private def elsewhere(
      state: LogState,
      outdated: Seq[OutdatedFiles],
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile],
      isMoved: (String, String) => Boolean): Seq[(OutdatedFiles, String)] = {
    lazy val sizes = outdated.iterator.flatMap(_.files.map(_.bytes)).toSet
    lazy val folders = listed.iterator.map(f => ListedFile.folderOf(f.path)).toSet
    lazy val known =
      outdated.iterator.flatMap(of => of.files.map(file => (ListedFile.nameOf(file.path), file.bytes) -> (of -> file)))
        .toSeq.groupMap(_._1)(_._2)
    def isRenamed(of: OutdatedFiles, folder: String) = !of.folders.exists(folders) && !state.isNamedIn(folder)
    // Few files have the size of another.
    val found = for {
      now <- renamed.iterator if sizes(now.bytes)
      (of, file) <- known.getOrElse((ListedFile.nameOf(now.path), now.bytes), Nil) if file.path != now.path
      if isRenamed(of, ListedFile.folderOf(now.path)) || file.identity.exists(isMoved(now.path, _))
    } yield of -> now.path
    found.toSeq
  }

  private val warned = new RememberedWarnings[(String, Int, Boolean)]
  private val named = 5

  /**
   * Warns of them: once for each set of them, and again after they were gone.
   *
   * @param listed
   *   the files that are read
   * @param renamed
   *   see [[of]]
   */
  def warn(
      folder: TableFolder,
      state: LogState,
      listed: => Iterable[ListedFile],
      renamed: => Iterable[ListedFile]): Option[DoubledRows] =
    if (!state.rewrites.exists(_.moved.nonEmpty)) None
    else {
      val table = folder.root.toString
      val found = of(state, listed, renamed, folder.isMoved)
      if (found.files.isEmpty) warned.forget(_._1 == table)
      else if (warned.isNew((table, found.hashCode, found.doubled.isDefined))) {
        val what = if (found.files.size == 1) "1 file" else s"${found.files.size} files"
        val some = found.files.take(named).mkString(", ") + (if (found.files.size > named) ", ..." else "")
        val rows = found.doubled.fold("Their rows are read.") { d =>
          s"Files that came in their place are there, too: THEIR ROWS ARE DOUBLED. ${d.advice} These are: " +
            d.named.mkString(", ")
        }
        logWarning(
          s"$table: $what that OPTIMIZE had replaced or taken back are there again, as after a restore ($some). $rows")
      }
      found.doubled
    }
}
