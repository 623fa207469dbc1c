// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.SparkSession

/** A table of which this project itself keeps the files that OPTIMIZE replaces, where it is asked to. */
trait RestorableTable extends ReadableTable {
  import RestorableTable._

  /** The rewrites of which the replaced files are kept, in the order of their numbers. */
  def keptRewrites(session: SparkSession): Seq[Kept]

  /**
   * Takes a rewrite back: the files that it had replaced come in the place of those that it had written. Rows that have
   * been added since stay. Takes the table exclusively by itself.
   *
   * @throws ZOrderAnalysisException
   *   where there is no such rewrite, or where it cannot be taken back any more
   */
  def restore(session: SparkSession, rewrite: Long): Restored

  /**
   * Deletes replaced files for good. Takes the table exclusively by itself, unless it is a dry run.
   *
   * @param retainMillis
   *   the age from which they go, in milliseconds; None for the time for which they were to be kept
   * @return
   *   the rewrites whose replaced files are deleted
   */
  def forgetReplaced(session: SparkSession, retainMillis: Option[Long], dryRun: Boolean): Seq[Kept]
}

object RestorableTable {

  /**
   * @param rewrite
   *   the number of the rewrite
   * @param replacedAt
   *   milliseconds since 1970, as is `keptUntil`
   * @param files
   *   number of files that are kept, of `bytes` bytes
   * @param newFiles
   *   number of files that came in their place
   * @param isRestorable
   *   whether all of them are there
   */
  final case class Kept(
      rewrite: Long,
      replacedAt: Long,
      keptUntil: Long,
      files: Int,
      bytes: Long,
      newFiles: Int,
      isRestorable: Boolean)

  /**
   * @param restored
   *   number of files that have come
   * @param replaced
   *   number of files that are gone for them
   */
  final case class Restored(path: String, rewrite: Long, restored: Int, replaced: Int)
}
