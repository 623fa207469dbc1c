// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}
import org.apache.spark.sql.zorder.SparkInternals

/** The memory of a row group, counted by Spark, which may let others spill for it. */
private[encoder] trait RowGroupMemory {

  /** Reserves what is missing of so many bytes; if it cannot, the row group has to end. */
  def tryReserve(bytes: Long): Boolean

  def release(): Unit
}

private[encoder] object RowGroupMemory {

  /** Of the task that runs here; unbounded outside of tasks. */
  def ofTask(): RowGroupMemory = of(SparkInternals.taskMemory)

  def of(memory: Option[TaskMemoryManager]): RowGroupMemory = memory.fold[RowGroupMemory](Unbounded)(new OfTask(_))

  private object Unbounded extends RowGroupMemory {
    override def tryReserve(bytes: Long): Boolean = true
    override def release(): Unit = ()
  }

  private class OfTask(manager: TaskMemoryManager)
      extends MemoryConsumer(manager, manager.pageSizeBytes, MemoryMode.ON_HEAP)
      with RowGroupMemory {

    override def tryReserve(bytes: Long): Boolean = {
      val more = bytes - getUsed
      more <= 0 || acquireMemory(more) >= more
    }

    override def release(): Unit = if (getUsed > 0) freeMemory(getUsed)

    /** Pages cannot be put aside: a row group is written as a whole. */
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }
}
