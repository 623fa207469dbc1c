// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.zorder.SparkInternals

/** Memory of arrays on the heap, counted by Spark, which may let others spill for it. */
private[sparkzorder] trait ReservedMemory {

  /** Reserves what is missing of so many bytes in all; false where Spark has no more to give. */
  def tryReserve(bytes: Long): Boolean

  /** Gives back what is reserved above so many bytes. */
  def shrinkTo(bytes: Long): Unit

  /** What is reserved may be spilled from now on, though it is still briefly in use: others could not begin without it. */
  def lend(): Unit

  def release(): Unit = shrinkTo(0)
}

private[sparkzorder] object ReservedMemory {

  /** Of the task that runs here; unbounded outside of tasks. */
  def ofTask(): ReservedMemory = of(SparkInternals.taskMemory)

  def of(memory: Option[TaskMemoryManager]): ReservedMemory = memory.fold[ReservedMemory](Unbounded)(new OfTask(_))

  private object Unbounded extends ReservedMemory {
    override def tryReserve(bytes: Long): Boolean = true
    override def shrinkTo(bytes: Long): Unit = ()
    override def lend(): Unit = ()
  }

  private class OfTask(manager: TaskMemoryManager)
      extends MemoryConsumer(manager, manager.pageSizeBytes, MemoryMode.ON_HEAP)
      with ReservedMemory {

    private var isLent = false

    override def lend(): Unit = isLent = true

    override def tryReserve(bytes: Long): Boolean = {
      val more = bytes - getUsed
      more <= 0 || acquireMemory(more) >= more
    }

    override def shrinkTo(bytes: Long): Unit = if (getUsed > bytes) freeMemory(getUsed - bytes)

    /** Nothing can be put aside: a row group is written as a whole, and rows are handed out in an order of their own. */
    override def spill(size: Long, trigger: MemoryConsumer): Long = {
      val lent = if (isLent && (trigger ne this)) getUsed else 0L
      if (lent > 0) freeMemory(lent)
      lent
    }
  }
}
