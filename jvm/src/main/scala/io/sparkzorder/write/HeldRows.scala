// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.sampling.Reservoir

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/**
 * All rows of a task, and ranks of values among them.
 *
 * A task reads all its rows before it knows the ranks: the first of them may be of one day, and those that follow of
 * many. They are held by a sorter of Spark's to which all rows are alike: it spills them where there is no more memory,
 * also while they are read, when the sorter above needs memory, and frees each page behind the reader.
 */
private[write] final class HeldRows(by: RankedColumns, input: Iterator[InternalRow]) {
  import HeldRows._

  private val held = UnsafeExternalRowSorter.create(
    DataTypeUtils.fromAttributes(by.output),
    alike,
    PrefixComparators.LONG,
    new NoPrefix,
    SparkEnv.get.memoryManager.pageSizeBytes,
    false)

  val ranks: WriteRanks = {
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](SampleSize))
    input.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      held.insertRow(unsafe)
      if (reservoir.takesNext()) reservoir.take(sampler(unsafe))
    }
    new WriteRanks(by, reservoir.sample)
  }

  /** The rows, once; each is valid until the next. */
  def rows: Iterator[InternalRow] = held.sort()
}

private[write] object HeldRows {

  /** Rows may come in any order. */
  val alike: Ordering[InternalRow] = (_: InternalRow, _: InternalRow) => 0

  // Ranks of a task's rows decide over its row groups and pages, of which there are some hundreds at most.
  private val SampleSize = 20000

  private final class NoPrefix extends UnsafeExternalRowSorter.PrefixComputer {
    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = prefix
  }
}
