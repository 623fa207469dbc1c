// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.curve.Curve
import io.sparkzorder.expressions.{CurvePosition, OutputTask}
import io.sparkzorder.key.RankTables
import io.sparkzorder.layout.FileAssignment

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * Where rows go, by expressions over their columns.
 *
 * @param section
 *   the number of a row's section, an INT
 * @param axes
 *   the values that are ranked; the curve has an axis for each
 * @param hash
 *   an INT, asked for where more rows than a file holds share a curve position
 * @param keepsPartitions
 *   whether the rows of a section are of one table partition
 */
final case class Placement(
    section: Expression,
    axes: Seq[Expression],
    ranks: RankTables,
    curve: Curve,
    hash: Expression,
    assignment: FileAssignment,
    keepsPartitions: Boolean) {

  /** The curve position of a row, a BIGINT, by the number of its section. */
  def position(section: Expression): Expression = CurvePosition(section, axes, ranks, curve)

  /** The number of the task that writes a row, an INT, by its section and its curve position. */
  def task(section: Expression, position: Expression): Expression = OutputTask(section, position, hash, assignment)
}
