package io.sparkzorder.command

import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.key.{ColumnRanks, KeyType}
import io.sparkzorder.layout.{FileCuts, LayoutPlan, PartitionLayout}
import io.sparkzorder.plan.ColumnPath
import io.sparkzorder.sampling.JointSample

/**
 * Ranks and file cuts derived from a sample, on the driver, in memory bounded by the sample.
 *
 * @param sample
 *   the rows that it was planned from
 * @param ranks
 *   per z-order column
 * @param places
 *   per sampled row, its place on the curve
 * @param plan
 *   what to do
 */
final class LayoutPlanner private (
    val sample: JointSample,
    val curve: Curve,
    val ranks: Seq[ColumnRanks],
    val places: Array[Long],
    val plan: LayoutPlan)

object LayoutPlanner {

  /**
   * @param partitions
   *   the files of each table partition, in the order of the partitions' numbers
   */
  def plan(
      columns: Seq[(ColumnPath, KeyType)],
      curve: Curve,
      sample: JointSample,
      partitions: IndexedSeq[IndexedSeq[DataFile]],
      targetFileBytes: Long): LayoutPlanner = {
    val ranks = columns.map(_._2).zip(sample.keys).map { case (t, keys) => ColumnRanks.of(t, keys, curve.bits) }
    val places = placesOf(sample, ranks, curve)
    val layouts = partitions.zip(sortedByPartition(sample, places, partitions.size)).map { case (files, sorted) =>
      val bytes = files.map(_.liveBytes).sum
      // Rows of a partition weigh the same, so cutting its rows evenly cuts its bytes evenly.
      val rows = files.flatMap(_.rows).sum
      // One place may be spread over many files, but no row is: more files than rows would only be empty tasks.
      val most = if (files.forall(_.rows.isDefined)) math.max(1L, rows) else Int.MaxValue.toLong
      val count = math.max(1L, math.round(bytes.toDouble / targetFileBytes)).min(most).min(Int.MaxValue.toLong).toInt
      PartitionLayout(files.head.partitionName, rows, bytes, FileCuts.stretches(sorted, count))
    }
    val names = columns.map(_._1.toString)
    val plan = LayoutPlan(names, curve.name, curve.bits, sample.rows.toLong, targetFileBytes, layouts)
    new LayoutPlanner(sample, curve, ranks, places, plan)
  }

  private def placesOf(sample: JointSample, ranks: Seq[ColumnRanks], curve: Curve): Array[Long] = {
    val point = new Array[Long](ranks.length)
    Array.tabulate(sample.rows) { row =>
      for (axis <- ranks.indices) point(axis) = ranks(axis).rankOf(sample.keys(axis)(row))
      curve.index(point)
    }
  }

  /** Per table partition, the places of its sampled rows, ascending. */
  private def sortedByPartition(sample: JointSample, places: Array[Long], partitions: Int): IndexedSeq[Array[Long]] = {
    val builders = IndexedSeq.fill(partitions)(Array.newBuilder[Long])
    for (row <- places.indices) builders(sample.partitions(row)) += places(row)
    builders.map { builder =>
      val sorted = builder.result()
      java.util.Arrays.sort(sorted)
      sorted
    }
  }
}
