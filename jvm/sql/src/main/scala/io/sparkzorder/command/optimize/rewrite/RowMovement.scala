// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.rewrite

import io.sparkzorder.expressions.{CurveIndex, OutputTask, RowHash}
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.move.DropTrailingColumns

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, RepartitionByExpression, Sort}

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
    val task = OutputTask(sectionNumber, position.toAttribute, RowHash.of(rows.output), assignment)
    // As if the user had given the number: adaptive execution neither merges nor splits these shuffle partitions.
    val moved = RepartitionByExpression(Seq(DirectShufflePartitionID(task)), keyed, Some(assignment.tasks))
    // Curve positions of one column tie between two sampled values; the column itself does not.
    val inFile = if (columns.length == 1) columns.head else position.toAttribute
    val order = (partitionColumns :+ inFile).map(SortOrder(_, Ascending))
    DropTrailingColumns(rows.output, Sort(order, global = false, moved))
  }
}
