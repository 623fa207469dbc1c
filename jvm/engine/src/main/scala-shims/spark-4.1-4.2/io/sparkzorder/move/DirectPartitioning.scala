// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.expressions.{DirectShufflePartitionID, Expression}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, ShufflePartitionIdPassThrough}

/** A shuffle in which each row names its own task. */
private[move] object DirectPartitioning {

  /** @param task the number of a row's task, an INT */
  def apply(task: Expression, tasks: Int): Partitioning =
    ShufflePartitionIdPassThrough(DirectShufflePartitionID(task), tasks)
}
