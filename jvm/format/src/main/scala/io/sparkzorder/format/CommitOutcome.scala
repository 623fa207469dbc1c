// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import org.apache.spark.sql.catalyst.InternalRow

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
