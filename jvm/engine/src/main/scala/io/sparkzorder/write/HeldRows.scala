// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.move.TaskSort
import io.sparkzorder.sampling.Reservoir

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils

/**
 * All rows of a task, and ranks of values among them.
 *
 * A task reads all its rows before it knows the ranks: the first of them may be of one day, and those that follow of
 * many. They are held by a sorter of Spark's, in the order in which they came: it spills them where there is no more
 * memory, also while they are read, when the sorter above needs memory, and frees each page that has been read.
 *
 * @param see
 *   is shown each row once
 */
private[write] final class HeldRows(by: RankedColumns, input: Iterator[InternalRow], see: UnsafeRow => Unit = _ => ()) {
  import HeldRows._

  private var count = 0L

  // By the numbers of rows: the sort of what is in order costs one pass.
  private val held = TaskSort.byNumber(
    DataTypeUtils.fromAttributes(by.output),
    { _ => count += 1; count },
    radix = false)

  val ranks: WriteRanks = {
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](SampleSize))
    input.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      held.insertRow(unsafe)
      see(unsafe)
      if (reservoir.takesNext()) reservoir.take(sampler(unsafe))
    }
    new WriteRanks(by, reservoir.sample)
  }

  /** The rows in the order in which they came, once; each is valid until the next. */
  def rows: Iterator[InternalRow] = held.sort()
}

private[write] object HeldRows {

  // Ranks of a task's rows decide over its row groups and pages, of which there are some hundreds at most.
  private val SampleSize = 20000
}
