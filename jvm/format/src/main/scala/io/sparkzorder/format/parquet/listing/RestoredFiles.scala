// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.errors.RememberedWarnings
import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.log.LogState

import org.apache.spark.internal.Logging

/**
 * Files of a listing that a rewrite had replaced, or had taken back, and that are read all the same: restored since it was
 * closed, or there while new files of their folder are gone.
 *
 * @param files
 *   their paths, sorted
 * @param doubled
 *   those of them beside which files with their rows are read
 */
private[parquet] final case class RestoredFiles(files: Seq[String], doubled: Option[DoubledRows])

private[parquet] object RestoredFiles extends Logging {

  /**
   * They are known by names and sizes: few ways to restore files keep their times, and who has written others of these names
   * takes the new files for gone. A folder may have been renamed since; there they are looked for where rows are doubled.
   *
   * @param listed
   *   the files that are read
   * @param renamed
   *   those of them that may lie in such folders
   * @param bytes
   *   the size of a file that is there now: a listing may be old
   */
  def of(
      state: LogState,
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile],
      bytes: String => Option[Long]): RestoredFiles = {
    val outdated = state.rewrites.filter(ListingCheck.isRemembered).flatMap(OutdatedFiles.of(state, _))
    val paths = outdated.flatMap(_.files.map(_._1)).toSet
    val there = listed.iterator.filter(f => paths(f.path)).map(f => f.path -> f.bytes).toSet
    lazy val read = listed.iterator.map(f => f.path -> f).toMap
    def present(path: String) = read.get(path).filter(f => bytes(path).contains(f.bytes))
    val found = outdated.flatMap(of => of.restored(there).map(of -> _))
    val doubled = (found ++ inRenamed(state, outdated, listed, renamed)).filter(_._1.areDoubled(read.get))
    val files = doubled.flatMap(_._2).distinct.sorted
    RestoredFiles(
      (found.flatMap(_._2) ++ files).distinct.sorted,
      Option.when(files.nonEmpty)(DoubledRows(files, canGo(doubled, files.toSet, present)))
    )
  }

  /** None of the files that go may be what has the rows of another one. */
  private def canGo(
      doubled: Seq[(OutdatedFiles, Seq[String])],
      going: Set[String],
      there: String => Option[ListedFile]): Boolean = {
    def stays(path: String) = if (going(path)) None else there(path)
    doubled.forall { case (of, files) =>
      val restored = files.flatMap(there(_))
      restored.size == files.size && of.canGo(restored, stays)
    }
  }

  /**
   * Of each folder that is not there, with what it would be in another one: such files that lie there. Files of one task have
   * one name in several folders: so only in a folder in which no rewrite has put any.
   */
  private def inRenamed(
      state: LogState,
      outdated: Seq[OutdatedFiles],
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile]): Seq[(OutdatedFiles, Seq[String])] = {
    lazy val sizes = outdated.iterator.flatMap(_.files.map(_._2)).toSet
    lazy val folders = listed.iterator.map(f => ListedFile.folderOf(f.path)).toSet
    lazy val gone = outdated.filterNot(_.folders.exists(folders))
    lazy val known =
      gone.iterator.flatMap(of => of.files.map { case (path, bytes) => (ListedFile.nameOf(path), bytes) -> of })
        .toSeq.groupMap(_._1)(_._2)
    // Few files have the size of another.
    val found = for {
      file <- renamed.iterator if sizes(file.bytes)
      of <- known.getOrElse((ListedFile.nameOf(file.path), file.bytes), Nil)
      folder = ListedFile.folderOf(file.path) if !state.isNamedIn(folder)
    } yield (of, folder) -> file.path
    found.toSeq.groupMap(_._1)(_._2).toSeq.map { case ((of, folder), files) => (of.in(folder), files) }
  }

  private val warned = new RememberedWarnings[(String, Int, Boolean)]
  private val named = 5

  /**
   * Warns of them: once for each set of them, and again after they were gone.
   *
   * @param table
   *   the table's folder
   * @param listed
   *   the files that are read
   * @param renamed
   *   those of them that may lie in folders that were renamed
   * @param bytes
   *   the size of a file that is there now
   */
  def warn(
      table: String,
      state: LogState,
      listed: => Iterable[ListedFile],
      renamed: => Iterable[ListedFile],
      bytes: String => Option[Long]): Option[DoubledRows] =
    if (!state.rewrites.exists(_.moved.nonEmpty)) None
    else {
      val found = of(state, listed, renamed, bytes)
      if (found.files.isEmpty) warned.forget(_._1 == table)
      else if (warned.isNew((table, found.hashCode, found.doubled.isDefined))) {
        val what = if (found.files.size == 1) "1 file" else s"${found.files.size} files"
        val some = found.files.take(named).mkString(", ") + (if (found.files.size > named) ", ..." else "")
        val rows = found.doubled.fold("Their rows are read.") { d =>
          s"Files with the same rows are there, too: THEIR ROWS ARE DOUBLED. ${d.advice} These are: ${d.named.mkString(", ")}"
        }
        logWarning(
          s"$table: $what that OPTIMIZE had replaced or taken back are there again, as after a restore ($some). $rows")
      }
      found.doubled
    }
}
