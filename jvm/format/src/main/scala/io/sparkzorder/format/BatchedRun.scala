// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/**
 * One run of a statement that commits in batches. A table records which run has begun and not ended, so that the same
 * statement, run again, goes on where an interrupted run stopped, and never takes a finished run for an interrupted
 * one.
 *
 * @param statement
 *   a digest of what the statement does: two with the same digest write the same files
 * @param number
 *   number of the run, 1 or more, another for each run
 */
final case class BatchedRun(statement: String, number: Long) {

  /** The name by which the files that it wrote know it. */
  def id: String = s"$statement-$number"

  /** The name of the record that the table keeps of it. */
  def slot: Int = BatchedRun.slot(statement)
}

object BatchedRun {

  /**
   * The record of a run that a commit makes.
   *
   * @param finished
   *   whether the run ends with this commit, if all of the commit succeeds
   */
  final case class Mark(run: BatchedRun, finished: Boolean) {

    /** The number to record: that of the run that goes on, or 0 for none. */
    def recorded: Long = if (finished) 0L else run.number
  }

  // A table keeps its records for good. Statements that share one lose only the batch to resume at.
  private val Slots = 16

  def slot(statement: String): Int = math.floorMod(statement.hashCode, Slots)

  /** @param parts everything that decides which files the statement writes */
  def digest(parts: Seq[String]): String =
    UUID.nameUUIDFromBytes(parts.map(p => s"${p.length}:$p").mkString.getBytes(UTF_8)).toString

  def begin(statement: String): BatchedRun =
    BatchedRun(statement, (UUID.randomUUID.getMostSignificantBits & Long.MaxValue).max(1L))
}
