// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioningLike
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.{ProjectExec, SampleExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.MergeRowsExec
import org.apache.spark.sql.execution.exchange.{Exchange, REPARTITION_BY_NUM, ShuffleExchangeExec}

/**
 * Which operators of a plan treat a row by its place among others: another row has the same number, or is in the sample,
 * where rows below are left out. A query may join by such numbers what it reads twice, or take its rows apart by samples.
 *
 * @param plan
 *   the whole plan, as far as it is known: adaptive execution plans each stage by itself
 */
final private[dynamic] class NumberedRows(plan: SparkPlan) {
  import NumberedRows._

  /**
   * Whether rows may be left out below a projection. An expression with a state, such as a random number, would give the
   * rows that stay other values, and so would one that counts rows, partitions or parts of files. The numbers that MERGE
   * gives rows are only to be different.
   */
  def areNotMissed(project: ProjectExec): Boolean = withoutNumbersOfMerge(project).forall(keepsRows)

  /** Whether rows must not be left out below an operator either such as no join would have let through. */
  def areCounted(operator: SparkPlan): Boolean = operator match {
    case _: SampleExec => true
    case project: ProjectExec => withoutNumbersOfMerge(project).exists(numbersRows)
    case other => other.expressions.exists(numbersRows)
  }

  private def withoutNumbersOfMerge(project: ProjectExec): Seq[NamedExpression] = project.projectList.filter {
    case Alias(_: MonotonicallyIncreasingID, name) => !NumbersInMerge.get(name).exists(isInMerge)
    case _ => true
  }

  // A user may have a column of that name.
  private def isInMerge(beside: String): Boolean = plan.exists {
    case project: ProjectExec => project.projectList.exists(_.name == beside)
    case other => other.isInstanceOf[MergeRowsExec]
  }
}

private[dynamic] object NumberedRows {

  /** The columns of numbers, Delta's and Spark's own, each with another one that MERGE has then. */
  private val NumbersInMerge = Map("_row_id_" -> "_file_name_", "__row_id" -> "__row_from_target")

  private def keepsRows(expression: Expression): Boolean = expression match {
    case _: InputFileName => true
    case _: Nondeterministic => false
    case e => e.children.forall(keepsRows) && (e.deterministic || e.children.exists(!_.deterministic))
  }

  private def numbersRows(expression: Expression): Boolean = expression match {
    case _: MonotonicallyIncreasingID | _: SparkPartitionID | _: ExpressionWithRandomSeed => true
    case e => e.children.exists(numbersRows)
  }

  private val Below = TreeNodeTag[Unit]("io.sparkzorder.belowNumberedRows")

  /** Marks a scan as lying below such an operator: adaptive execution plans its stage later, without what is above it. */
  def markBelow(scan: SparkPlan): Unit = scan.setTagValue(Below, ())

  def isMarked(scan: SparkPlan): Boolean = scan.getTagValue(Below).isDefined

  /**
   * Whether the places of rows above an operator depend on their values alone, not on their places below. Adaptive execution
   * puts partitions of a shuffle together, and takes them apart, by their sizes, which depend on what partial aggregates
   * have had in a task: unless the query says how many there are.
   */
  def areOfValues(operator: SparkPlan): Boolean = operator match {
    case shuffle: ShuffleExchangeExec =>
      shuffle.outputPartitioning.isInstanceOf[HashPartitioningLike] &&
      (shuffle.shuffleOrigin == REPARTITION_BY_NUM || !shuffle.conf.adaptiveExecutionEnabled)
    case other => other.isInstanceOf[Exchange]
  }
}
