package io.sparkzorder.command.optimize.rewrite

import io.sparkzorder.expressions.{CurveIndex, OutputTask}
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.plan.DropTrailingColumns

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, RepartitionByExpression, Sort}
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, VariantType}

/**
 * The plan that carries every row to its file: key once, shuffle once, sort inside the task.
 *
 * @param partition
 *   INT, the number of a row's table partition
 * @param partitionColumns
 *   by which the writer wants its rows sorted first
 */
private[command] class RowMovement(
    planned: LayoutPlanner,
    assignment: FileAssignment,
    columns: Seq[Expression],
    partition: Expression,
    partitionColumns: Seq[Attribute]) {

  def apply(rows: LogicalPlan): LogicalPlan = {
    // Looked up once, where there are partitions to look up.
    val number = Some(partition).filterNot(_.foldable).map(Alias(_, "_zorder_partition")())
    val numbered = Project(rows.output ++ number, rows)
    val partitionNumber = number.fold(partition)(_.toAttribute)
    val index = Alias(CurveIndex(partitionNumber, columns, planned.ranks, planned.curve), "_zorder_index")()
    val keyed = Project(numbered.output :+ index, numbered)
    val task = OutputTask(partitionNumber, index.toAttribute, rowHash(rows.output), assignment)
    // As if the user had given the number: adaptive execution neither merges nor splits these shuffle partitions.
    val moved = RepartitionByExpression(Seq(DirectShufflePartitionID(task)), keyed, Some(assignment.tasks))
    // Curve positions of one column tie between two sampled values; the column itself does not.
    val inFile = if (columns.length == 1) columns.head else index.toAttribute
    val order = (partitionColumns :+ inFile).map(SortOrder(_, Ascending))
    DropTrailingColumns(rows.output, Sort(order, global = false, moved))
  }

  /** A hash of everything in the row that can be hashed: the same in every attempt of a task. */
  private def rowHash(output: Seq[Attribute]): Expression =
    Murmur3Hash(output.filterNot(a => hasUnhashable(a.dataType)), seed = 42)

  private def hasUnhashable(dataType: DataType): Boolean = dataType match {
    case _: MapType | _: VariantType => true
    case array: ArrayType => hasUnhashable(array.elementType)
    case struct: StructType => struct.exists(f => hasUnhashable(f.dataType))
    case _ => false
  }
}
