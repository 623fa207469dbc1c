// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.move.TrailingColumns

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Hands on the rows of a child that has sorted them, without the columns by which it did; see [[OrderedRows]]. */
private[write] case class OrderedRowsExec(
    order: WriteOrder,
    columns: FixedColumns,
    isDelivered: Boolean,
    overrules: Boolean,
    child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = columns.attributes

  override def producedAttributes: AttributeSet = outputSet

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = columns.ordering(order.partitions)

  override def simpleString(maxFields: Int): String =
    s"OrderedRows ${OrderedRows.describe(order, isDelivered, overrules)}"

  override protected def doExecute(): RDD[InternalRow] = {
    val (count, of) = (columns.attributes.size, child.output)
    child.execute().mapPartitions(TrailingColumns.drop(_, count, of))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): OrderedRowsExec = copy(child = newChild)
}
