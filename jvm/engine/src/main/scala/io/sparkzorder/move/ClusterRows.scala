// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.curve.Curve
import io.sparkzorder.expressions.RowHash
import io.sparkzorder.key.RankTables
import io.sparkzorder.layout.FileAssignment

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/**
 * The rows of a rewrite in the files that its layout gives them: each task has the rows of one file, or of one file of
 * each of several small sections, in the order of the curve.
 *
 * @param output
 *   the columns of the analyzed rows: rules of the optimizer leave notes of their own in those of the child
 * @param section
 *   the number of a row's section, an INT; the rows of a section are of one table partition, and sections have the order of
 *   their partitions
 * @param columns
 *   the z-order columns
 * @param partitions
 *   columns by whose values the writer wants the rows of a task sorted
 */
case class ClusterRows(
    output: Seq[Attribute],
    section: Expression,
    columns: Seq[Expression],
    ranks: RankTables,
    curve: Curve,
    assignment: FileAssignment,
    partitions: Seq[Attribute],
    child: LogicalPlan)
    extends RowsOfRewrite {

  override def simpleString(maxFields: Int): String =
    s"ClusterRows ${columns.mkString("[", ", ", "]")}, ${curve.name}, ${assignment.tasks} tasks"

  override protected def withNewChildInternal(newChild: LogicalPlan): ClusterRows = copy(child = newChild)
}

/** The rows of a rewrite, in tasks that write files. */
private[move] trait RowsOfRewrite extends UnaryNode {

  /** Columns by whose values the writer wants the rows of a task sorted. */
  def partitions: Seq[Attribute]

  // Whole rows are written: nobody may prune their columns below.
  override lazy val references: AttributeSet = child.outputSet

  override def outputOrdering: Seq[SortOrder] = partitions.map(SortOrder(_, Ascending))

  override def maxRows: Option[Long] = child.maxRows
}

/** Plans [[ClusterRows]]. */
object ClusterRowsStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case ClusterRows(output, section, columns, ranks, curve, assignment, partitions, child) =>
      def place(rows: SparkPlan) =
        Placement(section, columns, ranks, curve, RowHash.of(rows.output), assignment, keepsPartitions = true)
      // Curve positions of one column tie between two sampled values; the column itself does not.
      val inFile = if (columns.length == 1) columns else Nil
      Seq(ClusterRowsExec(output, partitions, inFile, place, planLater(child)))
    case _ => Nil
  }
}
