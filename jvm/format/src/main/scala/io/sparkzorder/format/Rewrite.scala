// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import io.sparkzorder.column.ColumnPath

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow

/** A transaction that replaces files by new ones with the same rows. Nothing is visible before `commit`. */
trait Rewrite {

  /**
   * Every live row of the files: the columns of the table, and after them the columns that the format must keep. The
   * same DataFrame each time, so that expressions over its columns stay valid.
   */
  def input: DataFrame

  /**
   * Writes the rows in the order and the tasks in which they come, one file per task and partition.
   *
   * @param rows
   *   rows with the columns of `input`
   * @param clusteringOf
   *   gives the record of a file
   * @return
   *   the files written; a reader sees none of them
   */
  def write(rows: DataFrame, clusteringOf: ClusteringOf): IndexedSeq[DataFile]

  /**
   * Every row in the files written, with the partition columns of `input`; or a row for several, with their number in the
   * column [[io.sparkzorder.move.RowCounts.Rows]].
   */
  def output: DataFrame

  /**
   * Makes the files written the table's, in place of those read, in one step for whoever reads the table with its log.
   * Partitions that a concurrent writer has changed are left out, or all of them where the format cannot distinguish
   * them.
   *
   * @param columns
   *   the z-order columns: a format records them in its history, and Parquet's index gets their statistics
   *
   * @param mark
   *   the record of a run in batches, to be kept along with the files
   */
  def commit(columns: Seq[ColumnPath], mark: Option[BatchedRun.Mark] = None): CommitOutcome
}

/** The records of the files that a rewrite writes, by the number of the task, where that is known, and the partition. */
trait ClusteringOf extends ((Option[Int], InternalRow) => Option[Clustering]) {

  /** The tasks that write files of layers, of a partition in which others write the rest. */
  def layerTasks(partition: InternalRow): Set[Int] = Set.empty
}

/**
 * The outcome of a rewrite's commit.
 *
 * @param added
 *   the files that now belong to the table
 * @param conflict
 *   the partitions of which concurrent writers changed files that were read, if any
 */
final case class CommitOutcome(added: IndexedSeq[DataFile], conflict: Option[CommitOutcome.Conflict])

object CommitOutcome {

  /**
   * @param partitions
   *   the partitions that are as concurrent writers left them, without the rewrite
   * @param cause
   *   the format's own error for the conflict
   * @param isFinal
   *   whether the partitions are to stay as they are: without a log nobody knows what concurrent writers meant
   */
  final case class Conflict(partitions: Set[InternalRow], cause: Exception, isFinal: Boolean = false)
}

/** The task that wrote a file, by the name that Spark gives to files. */
private[format] object WriterTask {

  private val InName = """part-(\d{5,})-[^/]*""".r.unanchored

  /** @return None for a file that is named otherwise */
  def inName(path: String): Option[Int] = path.split('/').last match {
    case InName(number) => number.toIntOption
    case _ => None
  }
}
