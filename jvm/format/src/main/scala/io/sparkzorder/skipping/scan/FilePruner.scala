// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import io.sparkzorder.skipping.predicate.{FilePredicate, IndexedFiles}

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow
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
    val folder = folders.tableOf(file.getPath)
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

/**
 * The files that a statistics index left out of a listing.
 *
 * @param byPartition
 *   number of files left out of each partition, by its values
 * @param nanos
 *   time that it took, the loading of the index included
 */
final case class PrunedFiles(byPartition: Seq[(InternalRow, Int)], nanos: Long) {

  /** Files left out of the partitions that `read` accepts. */
  def count(read: InternalRow => Boolean): Long =
    byPartition.iterator.collect { case (values, files) if read(values) => files.toLong }.sum
}

object PrunedFiles {
  val none: PrunedFiles = PrunedFiles(Nil, 0)
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
