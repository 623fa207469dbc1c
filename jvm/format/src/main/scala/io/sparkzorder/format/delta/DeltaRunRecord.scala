// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.format.BatchedRun

import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.SetTransaction

/**
 * Which run in batches is under way, as an application's transaction in Delta's log: the latest number for each
 * identifier, which checkpoints keep. It is written in the commit of the batch itself.
 */
private[delta] object DeltaRunRecord {

  def open(snapshot: Snapshot, statement: String): Option[BatchedRun] =
    snapshot.transactions
      .get(application(BatchedRun.slot(statement)))
      .filter(_ > 0)
      .map(BatchedRun(statement, _))

  def action(mark: BatchedRun.Mark): SetTransaction =
    SetTransaction(application(mark.run.slot), mark.recorded, Some(System.currentTimeMillis()))

  private def application(slot: Int): String = s"io.sparkzorder.optimize.$slot"
}
