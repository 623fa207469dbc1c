package io.sparkzorder.format

import org.apache.spark.sql.catalyst.InternalRow

/**
 * What became of a rewrite.
 *
 * @param added
 *   the files that are now the table's
 * @param conflict
 *   where others changed files that were read
 */
final case class CommitOutcome(added: IndexedSeq[DataFile], conflict: Option[CommitOutcome.Conflict])

object CommitOutcome {

  /**
   * @param partitions
   *   those that are as others left them, without the rewrite
   * @param cause
   *   the format's own account of the conflict
   * @param isFinal
   *   whether the partitions are to stay as they are: without a log nobody knows what others meant
   */
  final case class Conflict(partitions: Set[InternalRow], cause: Exception, isFinal: Boolean = false)
}
