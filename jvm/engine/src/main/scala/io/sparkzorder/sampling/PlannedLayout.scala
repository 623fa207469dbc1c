// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.sampling

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.curve.Curve
import io.sparkzorder.key.RankTables
import io.sparkzorder.layout.{FileAssignment, FileCuts, LayoutPlan, SectionLayout}

/**
 * Ranks and file cuts derived from a sample, on the driver, in memory bounded by the sample.
 *
 * @param sample
 *   the rows from which the plan was made
 * @param curvePositions
 *   per sampled row, its curve position
 * @param plan
 *   the layout to write
 */
final class PlannedLayout private (
    val sample: JointSample,
    val curve: Curve,
    val ranks: RankTables,
    val curvePositions: Array[Long],
    val plan: LayoutPlan) {

  /** Per sampled row, the number of the file that holds it, in the order of the plan's sections and ranges. */
  def fileOfRow: Array[Int] = {
    // One task a file, so that a task's number stands for its file.
    val assignment = FileAssignment.unpacked(plan)
    // Which of several files with the same range a row goes to makes no difference to their ranges.
    Array.tabulate(sample.rows) { row =>
      val section = sample.sections(row)
      assignment.task(section, assignment.range(section, curvePositions(row)), row)
    }
  }
}

object PlannedLayout {

  /**
   * @param sample
   *   the sampled rows, with the numbers of their sections, counted through all groups
   */
  def plan(
      columns: Seq[ZOrderColumn],
      curve: Curve,
      sample: JointSample,
      groups: IndexedSeq[GroupToPlan]): PlannedLayout = {
    val ranked = RankedSample.of(sample, columns.map(_.keyType), curve, groups.flatMap(_.sections.aspects))
    val firsts = groups.map(_.sections.count).scanLeft(0)(_ + _)
    val layouts = groups.indices.flatMap { number =>
      layoutsOf(groups(number), number, firsts(number) until firsts(number + 1), ranked)
    }
    val (names, target) = (columns.map(_.toString), groups.map(_.targetFileBytes).max)
    val plan = LayoutPlan(names, curve.name, curve.bits, sample.rows.toLong, target, layouts)
    new PlannedLayout(sample, curve, ranked.ranks, ranked.positions, plan)
  }

  /** One layout for each section of a partition. */
  private def layoutsOf(
      group: GroupToPlan,
      number: Int,
      sections: Range,
      ranked: RankedSample): IndexedSeq[SectionLayout] = {
    val sampled = math.max(1, sections.map(ranked.rowsOf(_).length).sum)
    sections.zipWithIndex.map { case (section, i) =>
      // Rows of a partition weigh the same, so the sample shows how they are divided, and cutting rows cuts bytes.
      val share = if (sections.size == 1) 1.0 else ranked.rowsOf(section).length.toDouble / sampled
      val (ownBytes, ownRows) = ((group.bytes * share).toLong, (group.rows * share).toLong)
      // One curve position may be spread over many files, but no row is: more files than rows would only be empty
      // tasks.
      val most = if (group.areRowsKnown) math.max(1L, ownRows) else Int.MaxValue.toLong
      val count = math.min(most, FileCuts.files(ownBytes.toDouble, group.targetFileBytes).toLong).toInt
      val name = if (sections.size == 1) group.name else s"${group.name} section ${i + 1}".trim
      SectionLayout(number, name, ownRows, ownBytes, FileCuts.ranges(ranked.sortedPositions(section), count))
    }
  }
}
