// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.column.KeyType
import io.sparkzorder.curve.Curve
import io.sparkzorder.key.{ColumnRanks, RankTables}
import io.sparkzorder.layout.CellAspect

/**
 * The ranks that a sample gives the values of its columns, and the curve positions of its own rows by them.
 *
 * @param rowsOf
 *   per section, the numbers of its sampled rows
 * @param positions
 *   per sampled row, its curve position
 */
final class RankedSample private (
    val rowsOf: IndexedSeq[Array[Int]],
    val ranks: RankTables,
    val positions: Array[Long]) {

  /** The curve positions of the sampled rows of a section, ascending. */
  def sortedPositions(section: Int): Array[Long] = {
    val sorted = rowsOf(section).map(positions)
    java.util.Arrays.sort(sorted)
    sorted
  }
}

object RankedSample {

  // A curve divides a column into far fewer parts than this; files of one column alone may be more.
  private val CurvePrecision = 8192

  /**
   * @param keyTypes
   *   key type of each column
   * @param aspects
   *   per section, how its cells are proportioned; a section has ranks of its own where it has sampled rows enough
   */
  def of(
      sample: JointSample,
      keyTypes: Seq[KeyType],
      curve: Curve,
      aspects: IndexedSeq[CellAspect]): RankedSample = {
    val rowsOf = rowsBySection(sample, aspects.size)
    val precision = if (keyTypes.size == 1) ColumnRanks.Exact else CurvePrecision
    val ranks = RankTables.of(keyTypes, sample.keys, rowsOf, curve.bits, precision, aspects(_).shift(_))
    new RankedSample(rowsOf, ranks, positionsOf(sample, ranks, curve))
  }

  private def positionsOf(sample: JointSample, ranks: RankTables, curve: Curve): Array[Long] = {
    val point = new Array[Long](ranks.columns)
    Array.tabulate(sample.rows) { row =>
      val tables = ranks.of(sample.sections(row))
      for (axis <- point.indices) point(axis) = tables(axis).rankOf(sample.keys(axis)(row))
      curve.position(point)
    }
  }

  private def rowsBySection(sample: JointSample, sections: Int): IndexedSeq[Array[Int]] = {
    val builders = IndexedSeq.fill(sections)(Array.newBuilder[Int])
    for (row <- sample.sections.indices) builders(sample.sections(row)) += row
    builders.map(_.result())
  }
}
