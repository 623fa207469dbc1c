// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * The rows of each task with their curve positions, by ranks of values among the task's own rows ([[HeldRows]]).
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
    val by = RankedColumns(child.output, axes, partitions)
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) rows
      else {
        val held = new HeldRows(by, rows)
        val place = Seq(held.ranks.position)
        val placeOf = UnsafeProjection.create(place, by.output)
        // Without a look at the columns that rows have.
        val joiner =
          GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(by.output), RankedColumns.schema(place))
        held.rows.map(row => joiner.join(row.asInstanceOf[UnsafeRow], placeOf(row)))
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): RankedRowsExec = copy(child = newChild)
}
