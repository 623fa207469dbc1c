// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.util.stream.IntStream

import scala.collection.mutable

import io.sparkzorder.skipping.predicate.{IndexedFiles, ListedStatistics, NumberedFiles}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.execution.datasources.{FileStatusWithMetadata, PartitionDirectory}

/**
 * Leaves out of a listing the files in which no row can satisfy the filters.
 *
 * Files that no index knows as they are now stay. All files of a table whose index fails stay, with a warning.
 *
 * @param latest
 *   gives the index of a table's folder; asked once for each
 */
final private[skipping] class FilePruner(
    folders: TableFolders,
    filters: ScanFilters,
    partitionColumns: Set[String],
    latest: Path => Option[IndexedFiles]) {

  private final class Table(val folder: Path, val files: IndexedFiles, val predicates: Option[ScanPredicates]) {
    val listing: NumberedFiles.Cursor = files.listed.next()

    /** -1 where the index does not know the file. */
    def find(file: FileStatusWithMetadata): Int =
      files.find(TableFolders.relative(file.getPath, folder), file.getLen, file.getModificationTime)
  }

  private val tables = mutable.HashMap.empty[Path, Option[Table]]

  def prune(directories: Seq[PartitionDirectory]): Seq[PrunedDirectory] = {
    val looks = directories.map(_.files.map(look))
    tables.values.flatten.foreach(table => table.listing.listing.foreach(table.files.keep))
    looks.flatten.filter(_.isOut).groupBy(_.table).foreach { case (table, of) => confirm(table, of.toArray) }
    val matching = directories.zip(looks).map { case (directory, of) =>
      PrunedDirectory.withOutcomes(directory, of.map(_.outcome))
    }
    if (filters.needed.isEmpty) matching
    else PrunedDirectory.needed(matching, new NeededFiles(filters.needed, partitionColumns), known)
  }

  // The table of the last file, which is mostly that of the next one.
  private var lastFolder = Option.empty[Path]
  private var lastTable = Option.empty[Table]

  private def tableOf(file: FileStatusWithMetadata): Option[Table] =
    if (lastTable.exists(_.listing.isNext(file.fileStatus))) lastTable else tableAt(file)

  private def tableAt(file: FileStatusWithMetadata): Option[Table] = {
    val folder = folders.tableOf(file.getPath)
    if (folder ne lastFolder) {
      lastFolder = folder
      lastTable = folder.flatMap(f => tables.getOrElseUpdate(f, open(f)))
    }
    lastTable
  }

  /** What the statistics say of a file, before it is known whether it is unchanged. */
  private final class Look(val table: Table, number: Int, file: FileStatus, found: PrunedDirectory.Outcome) {
    private var isKept = found == PrunedDirectory.Kept

    def isOut: Boolean = !isKept
    def outcome: PrunedDirectory.Outcome = if (isKept) PrunedDirectory.Kept else found
    def keep(): Unit = isKept = true
    def confirm(): Unit = if (!table.files.isUnchanged(number, file)) keep()
  }

  private val kept = new Look(null, -1, null, PrunedDirectory.Kept)

  private def look(file: FileStatusWithMetadata): Look =
    asked(file, kept)(table => table.listing.number(file.fileStatus)(table.find(file))) { (table, number) =>
      val found = table.predicates.fold[PrunedDirectory.Outcome](PrunedDirectory.Kept)(_.outcome(number))
      if (found == PrunedDirectory.Kept) kept else new Look(table, number, file.fileStatus, found)
    }

  /** Keeps those of the files of a table that have changed. A local disk is asked for each. */
  private def confirm(table: Table, looks: Array[Look]): Unit =
    try {
      // What is loaded for the first is loaded in the query's own thread.
      looks.head.confirm()
      val all = IntStream.range(1, looks.length)
      (if (looks.length > FilePruner.Many) all.parallel else all).forEach(i => looks(i).confirm())
      warnOfChanged(table, looks)
    } catch {
      case ListedStatistics.Failure(e) =>
        looks.foreach(_.keep())
        warn(table.folder, Some(table.files.version), e)
    }

  /** Some files are written again now and then. Most of them are not, and so something has touched them all. */
  private def warnOfChanged(table: Table, looks: Array[Look]): Unit = {
    val changed = looks.count(!_.isOut)
    if (changed > looks.length / 2)
      IndexWarnings.warnOfChanged(table.folder.toString, table.files.version, changed, looks.length)
  }

  private def known(file: FileStatusWithMetadata): Option[KnownFile] =
    asked(file, Option.empty[KnownFile])(_.find(file)) { (table, number) =>
      Some(KnownFile(table.files, number, () => table.files.isUnchanged(number, file.fileStatus)))
    }

  /** What the index of its table says of a file; `unknown` where it does not know it. */
  private def asked[A](file: FileStatusWithMetadata, unknown: A)(find: Table => Int)(ask: (Table, Int) => A): A =
    tableOf(file).fold(unknown) { table =>
      try {
        val number = find(table)
        if (number < 0) unknown else ask(table, number)
      } catch {
        case ListedStatistics.Failure(e) =>
          tables.update(table.folder, None)
          lastTable = None
          warn(table.folder, Some(table.files.version), e)
          unknown
      }
    }

  private def open(folder: Path): Option[Table] = {
    var version = Option.empty[String]
    try
      latest(folder).flatMap { files =>
        version = Some(files.version)
        val predicates = ScanPredicates.of(filters, files, partitionColumns)
        Option.when(predicates.isDefined || filters.needed.nonEmpty)(new Table(folder, files, predicates))
      }
    catch {
      case ListedStatistics.Failure(e) =>
        warn(folder, version, e)
        None
    }
  }

  private def warn(folder: Path, version: Option[String], cause: Throwable): Unit =
    IndexWarnings.warn(IndexWarnings.OfIndex, folder.toString, version, Some(IndexWarnings.RemedyOfIndex), cause)
}

private object FilePruner {

  // Files for which it pays to begin threads.
  private val Many = 2000
}
