// SPDX-License-Identifier: Apache-2.0
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
 * @param section
 *   the number of a row's section, an INT
 * @param partitionColumns
 *   columns by which the writer wants its rows sorted first
 */
private[command] class RowMovement(
    planned: LayoutPlanner,
    assignment: FileAssignment,
    columns: Seq[Expression],
    section: Expression,
    partitionColumns: Seq[Attribute]) {

  def apply(rows: LogicalPlan): LogicalPlan = {
    // Computed once, where there is more than one section.
    val number = Some(section).filterNot(_.foldable).map(Alias(_, "_zorder_section")())
    val numbered = Project(rows.output ++ number, rows)
    val sectionNumber = number.fold(section)(_.toAttribute)
    val position = Alias(CurveIndex(sectionNumber, columns, planned.ranks, planned.curve), "_zorder_position")()
    val keyed = Project(numbered.output :+ position, numbered)
    val task = OutputTask(sectionNumber, position.toAttribute, rowHash(rows.output), assignment)
    // As if the user had given the number: adaptive execution neither merges nor splits these shuffle partitions.
    val moved = RepartitionByExpression(Seq(DirectShufflePartitionID(task)), keyed, Some(assignment.tasks))
    // Curve positions of one column tie between two sampled values; the column itself does not.
    val inFile = if (columns.length == 1) columns.head else position.toAttribute
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
