// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.move.TrailingColumns

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeSet, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * The rows of a write in the order of their table: within each task, or, where rows move, within and across tasks.
 *
 * It stands directly below the writer, and has the columns of the analyzed query whatever the optimizer makes of those
 * of its child: writers look for partition columns by the ids that these had (SPARK-21165).
 *
 * It says that rows are sorted by their partition columns, for writers to sort them no more. What writers need, and get, is
 * that the rows of each folder lie together: the empty string is then among the NULLs, and 0.0 and -0.0 follow each other
 * as the texts of their folders do.
 *
 * @param columns
 *   the columns of the rows as the writer knows them
 * @param isDelivered
 *   whether the child's rows have the order already
 * @param overrules
 *   whether the query asked for another order, which it loses
 * @param options
 *   those of the write, which can say how its files' pages end
 */
case class OrderedRows(
    order: WriteOrder,
    columns: FixedColumns,
    child: LogicalPlan,
    isDelivered: Boolean = false,
    overrules: Boolean = false,
    options: Map[String, String] = Map.empty)
    extends UnaryNode {

  override def output: Seq[Attribute] = columns.attributes

  override def producedAttributes: AttributeSet = outputSet

  // The output stands for the child's columns by ordinal, so no rule may prune or reorder them.
  override lazy val references: AttributeSet = child.outputSet

  override def outputOrdering: Seq[SortOrder] = columns.ordering(order.partitions)

  override def maxRows: Option[Long] = child.maxRows

  override def simpleString(maxFields: Int): String =
    s"OrderedRows ${OrderedRows.describe(order, isDelivered, overrules)}"

  override protected def withNewChildInternal(newChild: LogicalPlan): OrderedRows = copy(child = newChild)
}

object OrderedRows {

  def apply(order: WriteOrder, child: LogicalPlan): OrderedRows = OrderedRows(order, child, Map.empty[String, String])

  def apply(order: WriteOrder, child: LogicalPlan, options: Map[String, String]): OrderedRows =
    new OrderedRows(order, new FixedColumns(child.output), child, options = options)

  private[write] def describe(order: WriteOrder, isDelivered: Boolean, overrules: Boolean): String =
    s"$order${if (isDelivered) ", as the query delivers them" else ""}" +
      (if (overrules) ", in place of the query's own order" else "")
}

/** Attributes in a form in which no rule rewrites them: no expressions as far as a plan can see. */
final class FixedColumns(val attributes: Seq[Attribute]) extends Serializable {

  /** The ordering that a sort by these columns first guarantees. */
  def ordering(ordinals: Seq[Int]): Seq[SortOrder] = ordinals.map(o => SortOrder(attributes(o), Ascending))

  override def equals(other: Any): Boolean = other match {
    case that: FixedColumns => attributes == that.attributes
    case _ => false
  }

  override def hashCode: Int = attributes.hashCode

  override def toString: String = attributes.mkString("[", ", ", "]")
}

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
