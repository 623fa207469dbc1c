// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import io.sparkzorder.format.ListedFile

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession

/** The statistics indexes and logs that this project keeps of tables. */
trait IndexSource {

  /** Whether a folder is that of a table with an index or a log. */
  def isTable(session: SparkSession, folder: Path): Boolean

  /**
   * The index of a table as it is now. Called while a query starts to run, never while it is planned.
   *
   * @param tableFolder
   *   the qualified folder, which need not exist
   * @return
   *   None where the table has none. An error is logged, and the query reads all files.
   */
  def latest(session: SparkSession, tableFolder: Path): Option[IndexedFiles]

  /**
   * The entries and verdicts of the table's log; equal as long as none is added.
   *
   * @param tableFolder
   *   the qualified folder
   */
  def decisions(session: SparkSession, tableFolder: Path): AnyRef

  /**
   * Files that a listing has too much while a rewrite of the table is under way or was interrupted.
   *
   * @param listed
   *   files of the table, listed before this call; those of some partitions are enough
   * @param isFresh
   *   whether they were listed, and not taken from a cache, since [[decisions]] was what it is now
   * @param isCovered
   *   whether the listing is of the folder of a file, given relative to the table: if the file is there and not listed,
   *   then it came while the files were listed
   * @return
   *   the paths, relative to the table, of files whose rows are in other files, too; None where the listing is older
   *   than a rewrite
   */
  def filesToExclude(
      session: SparkSession,
      tableFolder: Path,
      listed: Iterable[ListedFile],
      isFresh: Boolean,
      isCovered: String => Boolean): Option[Set[String]]
}

/** One version of a table's statistics index. */
trait IndexedFiles extends FilesWithStatistics {

  /** Stays the same as long as the contents do. */
  def version: String

  /**
   * @param path
   *   path relative to the table's folder, not escaped: `day=2024-01-01/part-0.parquet`
   * @param bytes
   *   the file's size as it now is
   * @param modificationTime
   *   the file's time as it now is, in milliseconds since 1970
   * @return
   *   the number of the file, or -1 where the index knows none of this path, size and time
   */
  def find(path: String, bytes: Long, modificationTime: Long): Int

  /**
   * Whether a file that was found is still the one that the index knows, as far as its file system knows; asked of
   * files that are about to be skipped.
   */
  def isUnchanged(file: Int, status: FileStatus): Boolean = true
}

/**
 * The statistics of the files that a scan lists, of a format that keeps them in its own log.
 *
 * [[load]] is called while a query runs, never while it is planned. None where there are none, or too many files for
 * the driver's memory.
 */
trait ListedStatistics {
  def load(): Option[StatisticsByPath]
}

/** The statistics of files that are found by their paths. */
trait StatisticsByPath extends FilesWithStatistics {

  /** The number of a file; -1 where nothing is known of it. */
  def find(file: Path): Int
}
