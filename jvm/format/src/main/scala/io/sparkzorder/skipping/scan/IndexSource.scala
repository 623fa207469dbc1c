// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.format.ListedFile
import io.sparkzorder.skipping.predicate.IndexedFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** The statistics indexes and logs that this project keeps of tables. */
trait IndexSource {

  /**
   * Whether a folder is that of a table with an index or a log.
   *
   * @param hadoop
   *   the session's settings: several folders are asked about
   */
  def isTable(hadoop: Configuration, folder: Path): Boolean

  /**
   * As above, of a folder that nothing but its place above shows as one of a relation's: mostly it has nothing to do with
   * the relation. One of which the log cannot be read is none, with a warning.
   */
  def isTableAbove(hadoop: Configuration, folder: Path): Boolean = isTable(hadoop, folder)

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
  def fingerprint(session: SparkSession, tableFolder: Path): AnyRef

  /**
   * Files that a listing has too much while a rewrite of the table is under way or was interrupted.
   *
   * @param listed
   *   files of the table, listed before this call; those of some partitions are enough
   * @param isFresh
   *   whether they were listed, and not taken from a cache, since [[fingerprint]] was what it is now
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
      listed: ListedFiles,
      isFresh: Boolean,
      isCovered: String => Boolean): Option[Set[String]]
}

/**
 * The files of a table that a relation has listed. Each is made when it is gone through: most tables have nothing to
 * leave out, whatever their number of files.
 */
trait ListedFiles {

  /**
   * @param isWanted
   *   asked once for the files of a folder that are listed one after the other, with its path relative to the table
   * @return
   *   the files that lie right in these folders
   */
  def in(isWanted: String => Boolean): Iterator[ListedFile]
}
