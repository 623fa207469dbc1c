// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode, UnsafeExternalRowSorter}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/**
 * The rows of each task along the z-order curve, by ranks of values among the task's own rows ([[HeldRows]]).
 *
 * Spark's sorter takes a long beside each row, by which alone it can sort: the curve position needs no column. Where rows
 * have to be sorted by partitions first, [[RankedRowsExec]] makes it one.
 */
private[write] case class CurveSortExec(axes: Seq[Expression], child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override protected def doExecute(): RDD[InternalRow] = {
    val by = RankedColumns(child.output, axes, Nil)
    val radix = conf.enableRadixSort
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) rows else CurveSortExec.sorted(new HeldRows(by, rows), by, radix)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): CurveSortExec = copy(child = newChild)
}

private object CurveSortExec {

  private def sorted(held: HeldRows, by: RankedColumns, radix: Boolean): Iterator[InternalRow] = {
    val sorter = UnsafeExternalRowSorter.create(
      DataTypeUtils.fromAttributes(by.output),
      // Rows of one position may come in any order.
      HeldRows.alike,
      PrefixComparators.LONG,
      new CurvePosition(UnsafeProjection.create(Seq(held.ranks.position), by.output)),
      SparkEnv.get.memoryManager.pageSizeBytes,
      radix
    )
    sorter.sort(held.rows.asInstanceOf[Iterator[UnsafeRow]])
  }

  /** @param position computes a row of one BIGINT */
  private final class CurvePosition(position: UnsafeProjection) extends UnsafeExternalRowSorter.PrefixComputer {

    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix

    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      prefix.value = position(row).getLong(0)
      prefix
    }
  }
}
