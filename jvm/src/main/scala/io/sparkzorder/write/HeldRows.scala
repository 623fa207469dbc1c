// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.sampling.Reservoir

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray

/**
 * All rows of a task, and ranks of values among them.
 *
 * A task reads all its rows before it knows the ranks: the first of them may be of one day, and those that follow of
 * many. It holds them in memory that Spark manages, and spills them where there is no more.
 */
private[write] final class HeldRows(by: RankedBy, input: Iterator[InternalRow]) {
  import HeldRows._

  private val held =
    new ExternalAppendOnlyUnsafeRowArray(RowsBesideMemoryManager, Long.MaxValue, Int.MaxValue, Long.MaxValue)

  val ranks: WriteRanks = {
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](SampleSize))
    input.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      held.add(unsafe)
      if (reservoir.takesNext()) reservoir.take(sampler(unsafe))
    }
    new WriteRanks(by, reservoir.sample)
  }

  /** The rows, as often as asked for; each is valid until the next. */
  def rows: Iterator[UnsafeRow] = held.generateIterator()
}

private object HeldRows {

  // Ranks of a task's rows decide over its row groups and pages, of which there are some hundreds at most.
  private val SampleSize = 20000

  private val RowsBesideMemoryManager = 1024
}
