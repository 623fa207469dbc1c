// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.sampling.Reservoir

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, UnsafeRow}
import org.apache.spark.sql.execution.{ExternalAppendOnlyUnsafeRowArray, SparkPlan, UnaryExecNode}

/**
 * The rows of each task with their curve positions, by ranks of values among the task's own rows.
 *
 * A task reads all its rows before it knows the ranks: the first of them may be of one day, and those that follow of
 * many. It holds them in memory that Spark manages, and spills them where there is no more.
 *
 * @param partitions
 *   the values of a row's table partition; each sampled partition has ranks of its own
 * @param position
 *   the column of curve positions, a BIGINT, last in the output
 */
private[write] case class RankedRowsExec(
    axes: Seq[Expression],
    partitions: Seq[Expression],
    position: Attribute,
    child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output :+ position

  override def producedAttributes: AttributeSet = AttributeSet(position)

  override protected def doExecute(): RDD[InternalRow] = {
    val by = RankedBy(child.output, axes, partitions)
    child.execute().mapPartitions(rows => if (rows.isEmpty) rows else RankedRowsExec.ranked(by, rows))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): RankedRowsExec = copy(child = newChild)
}

private object RankedRowsExec {

  // Ranks of a task's rows decide over its row groups and pages, of which there are some hundreds at most.
  private val SampleSize = 20000

  private val RowsBesideMemoryManager = 1024

  private def ranked(by: RankedBy, rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val held =
      new ExternalAppendOnlyUnsafeRowArray(RowsBesideMemoryManager, Long.MaxValue, Int.MaxValue, Long.MaxValue)
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](SampleSize))
    rows.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      held.add(unsafe)
      reservoir.offer(sampler(unsafe))
    }
    val append = new ColumnAppender(by.output, Seq(new WriteRanks(by, reservoir.sample).position))
    held.generateIterator().map(append)
  }
}
