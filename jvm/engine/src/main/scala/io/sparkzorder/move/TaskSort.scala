// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import java.util.function.ToLongFunction

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{LeafExecNode, SortExec, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Sorts the rows of a task by Spark's own means, in memory or on the disk. */
private[sparkzorder] object TaskSort {

  /** The rows of each task by columns of theirs. */
  def rows(rows: RDD[InternalRow], columns: Seq[Attribute], order: Seq[SortOrder]): RDD[InternalRow] =
    SortExec(order, global = false, RowsOfTasks(columns, rows)).execute()

  /**
   * A sorter of the rows of the running task by a number that need not be a column.
   *
   * @param number
   *   called once for each row, in the order in which rows are inserted
   * @param ties
   *   the order of rows that share a number; in any order if None
   * @param radix
   *   whether the sort may be a radix sort, where the number alone decides
   */
  def byNumber(
      schema: StructType,
      number: ToLongFunction[InternalRow],
      radix: Boolean,
      ties: Option[Ordering[InternalRow]] = None): UnsafeExternalRowSorter =
    UnsafeExternalRowSorter.create(
      schema,
      ties.getOrElse((_: InternalRow, _: InternalRow) => 0),
      PrefixComparators.LONG,
      new Number(number),
      SparkEnv.get.memoryManager.pageSizeBytes,
      radix && ties.isEmpty
    )

  private final class Number(of: ToLongFunction[InternalRow]) extends UnsafeExternalRowSorter.PrefixComputer {

    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix

    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      prefix.value = of.applyAsLong(row)
      prefix
    }
  }
}

/** The rows of an RDD as a plan, for the operators of Spark that stand on one. */
private[move] case class RowsOfTasks(output: Seq[Attribute], @transient rows: RDD[InternalRow]) extends LeafExecNode {

  override def outputPartitioning: Partitioning = UnknownPartitioning(rows.getNumPartitions)

  override protected def doExecute(): RDD[InternalRow] = rows
}
