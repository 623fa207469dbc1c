package io.sparkzorder.format

import org.apache.spark.sql.catalyst.InternalRow

/**
 * What became of a rewrite.
 *
 * @param added
 *   the files that are now the table's
 * @param conflict
 *   the partitions of which concurrent writers changed files that were read, if any
 */
final case class CommitOutcome(added: IndexedSeq[DataFile], conflict: Option[CommitOutcome.Conflict])

object CommitOutcome {

  /**
   * @param partitions
   *   the partitions that are as concurrent writers left them, without the rewrite
   * @param cause
   *   the format's own account of the conflict
   * @param isFinal
   *   whether the partitions are to stay as they are: without a log nobody knows what concurrent writers meant
   */
  final case class Conflict(partitions: Set[InternalRow], cause: Exception, isFinal: Boolean = false)
}
