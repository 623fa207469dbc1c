// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.ReservedMemory

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * The rows of column blocks, in each task in the order of their keys. They are no `UnsafeRow`s: what stands above it may be
 * a writer, a projection or a filter, but no operator that asks for Spark's rows, such as a sort or a shuffle.
 *
 * @param output
 *   the columns of the blocks
 * @param child
 *   the tasks' numbers and blocks of a [[ColumnBlocksExec]]
 */
case class SortedBlocksExec(output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning = UnknownPartitioning(child.outputPartitioning.numPartitions)

  override protected def doExecute(): RDD[InternalRow] = {
    val types = output.map(_.dataType).toArray
    child.execute().mapPartitions { rows =>
      val memory = ReservedMemory.ofTask()
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => memory.release()))
      new SortedBlocks(types, memory).rows(rows.map(_.getBinary(1)))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SortedBlocksExec = copy(child = newChild)
}
