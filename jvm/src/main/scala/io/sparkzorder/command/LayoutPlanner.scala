package io.sparkzorder.command

import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.key.{ColumnRanks, KeyType, RankTables}
import io.sparkzorder.layout.{FileCuts, LayoutPlan, PartitionLayout}
import io.sparkzorder.plan.ColumnPath
import io.sparkzorder.sampling.JointSample

/**
 * Ranks and file cuts derived from a sample, on the driver, in memory bounded by the sample.
 *
 * @param sample
 *   the rows that it was planned from
 * @param places
 *   per sampled row, its place on the curve
 * @param plan
 *   what to do
 */
final class LayoutPlanner private (
    val sample: JointSample,
    val curve: Curve,
    val ranks: RankTables,
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
    val rowsOf = rowsByPartition(sample, partitions.size)
    val ranks = RankTables.of(columns.map(_._2), sample.keys, rowsOf, curve.bits, precision(columns.size))
    val places = placesOf(sample, ranks, curve)
    val layouts = partitions.zip(rowsOf).map { case (files, sampled) =>
      val sorted = sampled.map(places)
      java.util.Arrays.sort(sorted)
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

  // A curve divides a column into far fewer parts than this; files of one column alone may be more.
  private val CurvePrecision = 8192

  private def precision(columns: Int): Int = if (columns == 1) ColumnRanks.Exact else CurvePrecision

  private def placesOf(sample: JointSample, ranks: RankTables, curve: Curve): Array[Long] = {
    val point = new Array[Long](ranks.columns)
    Array.tabulate(sample.rows) { row =>
      val tables = ranks.of(sample.partitions(row))
      for (axis <- point.indices) point(axis) = tables(axis).rankOf(sample.keys(axis)(row))
      curve.index(point)
    }
  }

  private def rowsByPartition(sample: JointSample, partitions: Int): IndexedSeq[Array[Int]] = {
    val builders = IndexedSeq.fill(partitions)(Array.newBuilder[Int])
    for (row <- sample.partitions.indices) builders(sample.partitions(row)) += row
    builders.map(_.result())
  }
}
