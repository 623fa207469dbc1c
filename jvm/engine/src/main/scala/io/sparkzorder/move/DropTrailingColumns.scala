// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy, UnaryExecNode}

/**
 * The first columns of its input: a projection that copies no row.
 *
 * @param output
 *   the first of the child's columns
 */
case class DropTrailingColumns(output: Seq[Attribute], child: LogicalPlan) extends UnaryNode {

  // The columns that are left out stand in the rows too: nobody may prune them below.
  override lazy val references: AttributeSet = child.outputSet

  override protected def withNewChildInternal(newChild: LogicalPlan): DropTrailingColumns = copy(child = newChild)
}

/** Plans [[DropTrailingColumns]]. */
object DropTrailingColumnsStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case DropTrailingColumns(columns, child) =>
      val planned = planLater(child)
      val areFirst = planned.output.map(_.exprId).startsWith(columns.map(_.exprId))
      Seq(if (areFirst) DropTrailingColumnsExec(columns, planned) else ProjectExec(columns, planned))
    case _ => Nil
  }
}

/** The first columns of its child. */
case class DropTrailingColumnsExec(output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering.takeWhile(_.references.subsetOf(outputSet))

  override protected def doExecute(): RDD[InternalRow] = {
    val (count, of) = (output.size, child.output)
    child.execute().mapPartitions(DropTrailingColumns.fromRows(_, count, of))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): DropTrailingColumnsExec = copy(child = newChild)
}

/**
 * Rows of fewer columns over the same bytes. Spark's rows keep a fixed-width slot for each column in order, after a
 * bitmap of NULLs that is one word for up to 64 columns; with as many words, the first columns lie where they lay.
 */
object DropTrailingColumns {

  /**
   * @param rows
   *   rows with the columns of `output`
   * @return
   *   rows with the first `count` of them; copied only where their bitmap has fewer words
   */
  def fromRows(rows: Iterator[InternalRow], count: Int, output: Seq[Attribute]): Iterator[InternalRow] =
    if (UnsafeRow.calculateBitSetWidthInBytes(count) == UnsafeRow.calculateBitSetWidthInBytes(output.size)) {
      val view = new UnsafeRow(count)
      rows.map { row =>
        val whole = row.asInstanceOf[UnsafeRow]
        view.pointTo(whole.getBaseObject, whole.getBaseOffset, whole.getSizeInBytes)
        view
      }
    } else rows.map(UnsafeProjection.create(output.take(count), output))
}
