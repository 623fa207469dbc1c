// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.listing

import io.sparkzorder.errors.RememberedWarnings
import io.sparkzorder.format.{DoubledRows, ListedFile}
import io.sparkzorder.format.parquet.folder.TableFolder
import io.sparkzorder.format.parquet.folder.opened.LocalIdentity
import io.sparkzorder.format.parquet.log.{KeptName, LogState}
import io.sparkzorder.format.parquet.log.LogState.LoggedRewrite

import org.apache.spark.internal.Logging

/**
 * Files of a listing that a rewrite had replaced, or had taken back, and that are read all the same: restored, or moved
 * elsewhere, or there while new files of their folder are gone.
 *
 * @param files
 *   their paths, sorted
 * @param doubled
 *   those of them beside which files that may have their rows are read
 */
private[parquet] final case class RestoredFiles(files: Seq[String], doubled: Option[DoubledRows])

private[parquet] object RestoredFiles extends Logging {

  /**
   * Files in their own folder are recognized by name and size, as few ways to restore files keep more. The listing
   * cannot prove that they hold the same rows; but who writes others of these names takes the new files for gone.
   *
   * @param listed
   *   the files that are read
   * @param renamed
   *   those of them that may lie in folders that were renamed, or into which files were moved
   * @param origin
   *   what distinguishes a file from all others, by its path; see [[TableFolder.certainOrigin]]
   * @param isLooked
   *   the rewrites whose files are looked for
   */
  def of(
      state: LogState,
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile],
      origin: String => Option[String],
      isLooked: LoggedRewrite => Boolean = ListingCheck.isRemembered): RestoredFiles = {
    // By the names of kept files only where there are such.
    val hasKept = listed.exists(f => KeptName.is(f.path))
    val outdated = state.rewrites.filter(isLooked).flatMap(OutdatedFiles.of(state, _, hasKept))
    val paths = outdated.flatMap(_.files.map(_.path)).toSet
    val there = listed.iterator.filter(f => paths(f.path)).map(f => f.path -> f.bytes).toSet
    lazy val read = listed.iterator.map(_.path).toSet
    val found = outdated.map(of => of -> of.restored(there)).filter(_._2.nonEmpty)
    val moved = elsewhere(state, outdated, listed, renamed, origin)
      .groupMap { case (of, file) => (of, ListedFile.folderOf(file)) }(_._2)
    val doubled = found.filter(_._1.areDoubled(read)).flatMap(_._2) ++
      moved.collect { case ((of, folder), files) if of.areDoubled(read, Some(folder)) => files }.flatten
    val files = doubled.distinct.sorted
    RestoredFiles(
      (found.flatMap(_._2) ++ files).distinct.sorted,
      Option.when(files.nonEmpty)(DoubledRows(files)))
  }

  /**
   * Restored files that were moved: by identity where the file system has one. As a copy has another, also by name and
   * size in folders no rewrite wrote to, if their own folder is gone: files of one task have one name in several
   * folders, and may have one size.
   */
  private def elsewhere(
      state: LogState,
      outdated: Seq[OutdatedFiles],
      listed: Iterable[ListedFile],
      renamed: Iterable[ListedFile],
      origin: String => Option[String]): Seq[(OutdatedFiles, String)] = {
    def named(of: Seq[OutdatedFiles]) =
      of.flatMap(o => o.files.map(f => (ListedFile.nameOf(f.path), f.bytes) -> (o -> f))).groupMap(_._1)(_._2)
    lazy val sizes = outdated.iterator.flatMap(_.files.map(_.bytes)).toSet
    lazy val folders = listed.iterator.map(f => ListedFile.folderOf(f.path)).toSet
    lazy val gone = named(outdated.filterNot(_.folders.exists(folders)))
    lazy val known = named(outdated).map { case (name, files) =>
      name -> files.flatMap { case (of, file) =>
        file.identity.map(LocalIdentity.origin(_) -> (of -> file.path))
      }.toMap
    }
    def renamedTo(file: ListedFile, name: (String, Long)) =
      if (state.isNamedIn(ListedFile.folderOf(file.path))) Nil else gone.getOrElse(name, Nil).map(_._1)
    def very(file: ListedFile, name: (String, Long)) =
      known.get(name).filter(_.nonEmpty).flatMap(files => origin(file.path).flatMap(files.get)).collect {
        case (of, path) if path != file.path => of
      }
    // Few files have the size of another.
    val found = for {
      file <- renamed.iterator if sizes(file.bytes)
      name = (ListedFile.nameOf(file.path), file.bytes)
      of <- renamedTo(file, name) ++ very(file, name)
    } yield of -> file.path
    found.toSeq.distinct
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
   * @param isLooked
   *   likewise: statements look for all that the log has
   */
  def warn(
      folder: TableFolder,
      state: LogState,
      listed: => Iterable[ListedFile],
      renamed: => Iterable[ListedFile],
      isLooked: LoggedRewrite => Boolean = ListingCheck.isRemembered): Option[DoubledRows] =
    if (!state.rewrites.exists(_.moved.nonEmpty)) None
    else {
      val table = folder.root.toString
      val found = of(state, listed, renamed, folder.certainOrigin, isLooked)
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
