// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.{FilePredicate, IndexedFiles}

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
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
    filters: Seq[Expression],
    partitionColumns: Set[String],
    latest: Path => Option[IndexedFiles]) {

  private case class Table(folder: Path, files: IndexedFiles, predicate: FilePredicate)

  private val tables = mutable.HashMap.empty[Path, Option[Table]]

  def prune(directory: PartitionDirectory): PartitionDirectory = {
    val kept = directory.files.filter(mayMatch)
    if (kept.size == directory.files.size) directory else directory.copy(files = kept)
  }

  // The table of the last file, which is mostly that of the next one.
  private var lastFolder = Option.empty[Path]
  private var lastTable = Option.empty[Table]

  private def mayMatch(file: FileStatusWithMetadata): Boolean = {
    val folder = folders.of(file.getPath)
    if (folder ne lastFolder) {
      lastFolder = folder
      lastTable = folder.flatMap(f => tables.getOrElseUpdate(f, open(f)))
    }
    lastTable.forall(mayMatch(_, file))
  }

  private def mayMatch(table: Table, file: FileStatusWithMetadata): Boolean =
    try {
      val path = TableFolders.relative(file.getPath, table.folder)
      val number = table.files.find(path, file.getLen, file.getModificationTime)
      number < 0 || table.predicate.mayMatch(number) || !table.files.isUnchanged(number, file.fileStatus)
    } catch {
      case NonFatal(e) =>
        tables.update(table.folder, None)
        lastTable = None
        IndexWarnings.warn(table.folder.toString, Some(table.files.version), e)
        true
    }

  private def open(folder: Path): Option[Table] = {
    var version = Option.empty[String]
    try
      for {
        files <- latest(folder)
        _ = { version = Some(files.version) }
        predicate <- FilePredicate(filters, files, partitionColumns)
      } yield Table(folder, files, predicate)
    catch {
      case NonFatal(e) =>
        IndexWarnings.warn(folder.toString, version, e)
        None
    }
  }
}
