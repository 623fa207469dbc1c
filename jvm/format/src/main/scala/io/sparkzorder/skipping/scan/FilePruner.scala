// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.IndexedFiles

import org.apache.hadoop.fs.Path
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

  private case class Table(folder: Path, files: IndexedFiles, predicates: Option[ScanPredicates])

  private val tables = mutable.HashMap.empty[Path, Option[Table]]

  def prune(directories: Seq[PartitionDirectory]): Seq[PrunedDirectory] = {
    val matching = directories.map(PrunedDirectory.of(_, outcome))
    if (filters.needed.isEmpty) matching
    else PrunedDirectory.needed(matching, new NeededFiles(filters.needed, partitionColumns), known)
  }

  // The table of the last file, which is mostly that of the next one.
  private var lastFolder = Option.empty[Path]
  private var lastTable = Option.empty[Table]

  private def tableOf(file: FileStatusWithMetadata): Option[Table] = {
    val folder = folders.tableOf(file.getPath)
    if (folder ne lastFolder) {
      lastFolder = folder
      lastTable = folder.flatMap(f => tables.getOrElseUpdate(f, open(f)))
    }
    lastTable
  }

  private def outcome(file: FileStatusWithMetadata): PrunedDirectory.Outcome =
    asked(file, PrunedDirectory.Kept: PrunedDirectory.Outcome) { (table, number) =>
      val found = table.predicates.fold[PrunedDirectory.Outcome](PrunedDirectory.Kept)(_.outcome(number))
      if (found == PrunedDirectory.Kept || table.files.isUnchanged(number, file.fileStatus)) found
      else PrunedDirectory.Kept
    }

  private def known(file: FileStatusWithMetadata): Option[KnownFile] =
    asked(file, Option.empty[KnownFile]) { (table, number) =>
      Some(KnownFile(table.files, number, () => table.files.isUnchanged(number, file.fileStatus)))
    }

  /** What the index of its table says of a file; `unknown` where it does not know it. */
  private def asked[A](file: FileStatusWithMetadata, unknown: A)(ask: (Table, Int) => A): A =
    tableOf(file).fold(unknown) { table =>
      try {
        val path = TableFolders.relative(file.getPath, table.folder)
        val number = table.files.find(path, file.getLen, file.getModificationTime)
        if (number < 0) unknown else ask(table, number)
      } catch {
        case NonFatal(e) =>
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
        Option.when(predicates.isDefined || filters.needed.nonEmpty)(Table(folder, files, predicates))
      }
    catch {
      case NonFatal(e) =>
        warn(folder, version, e)
        None
    }
  }

  private def warn(folder: Path, version: Option[String], cause: Throwable): Unit =
    IndexWarnings.warn(IndexWarnings.OfIndex, folder.toString, version, Some(IndexWarnings.RemedyOfIndex), cause)
}
