// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.IndexedFiles

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
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

  private case class Table(folder: Path, files: IndexedFiles, predicates: ScanPredicates)

  private val tables = mutable.HashMap.empty[Path, Option[Table]]

  def prune(directory: PartitionDirectory): PrunedDirectory = PrunedDirectory.of(directory, outcome)

  // The table of the last file, which is mostly that of the next one.
  private var lastFolder = Option.empty[Path]
  private var lastTable = Option.empty[Table]

  private def outcome(file: FileStatusWithMetadata): PrunedDirectory.Outcome = {
    val folder = folders.tableOf(file.getPath)
    if (folder ne lastFolder) {
      lastFolder = folder
      lastTable = folder.flatMap(f => tables.getOrElseUpdate(f, open(f)))
    }
    lastTable.fold[PrunedDirectory.Outcome](PrunedDirectory.Kept)(outcome(_, file))
  }

  private def outcome(table: Table, file: FileStatusWithMetadata): PrunedDirectory.Outcome =
    try {
      val path = TableFolders.relative(file.getPath, table.folder)
      val number = table.files.find(path, file.getLen, file.getModificationTime)
      val found = if (number < 0) PrunedDirectory.Kept else table.predicates.outcome(number)
      if (found == PrunedDirectory.Kept || table.files.isUnchanged(number, file.fileStatus)) found
      else PrunedDirectory.Kept
    } catch {
      case NonFatal(e) =>
        tables.update(table.folder, None)
        lastTable = None
        IndexWarnings.warn(table.folder.toString, Some(table.files.version), e)
        PrunedDirectory.Kept
    }

  private def open(folder: Path): Option[Table] = {
    var version = Option.empty[String]
    try
      for {
        files <- latest(folder)
        _ = { version = Some(files.version) }
        predicates <- ScanPredicates.of(filters, files, partitionColumns)
      } yield Table(folder, files, predicates)
    catch {
      case NonFatal(e) =>
        IndexWarnings.warn(folder.toString, version, e)
        None
    }
  }
}

/** Warns of statistics indexes that cannot be used: once for each table and version. */
private[skipping] object IndexWarnings extends Logging {

  private val warned = ConcurrentHashMap.newKeySet[(String, Option[String])]()

  // A session may meet any number of versions; to warn once more does no harm.
  private val remembered = 10000

  /**
   * @param version
   *   None where not even that could be read
   */
  def warn(table: String, version: Option[String], cause: Throwable): Unit = {
    if (warned.size >= remembered) warned.clear()
    if (warned.add((table, version)))
      logWarning(
        s"The statistics index of $table${version.fold("")(v => s", version $v,")} cannot be used: queries read all its " +
          "files. ANALYZE TABLE ... COMPUTE FILE STATISTICS recreates it.",
        cause
      )
  }
}
