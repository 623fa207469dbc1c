package io.sparkzorder.command

import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.key.{ColumnRanks, KeyType}
import io.sparkzorder.layout.{FileCuts, LayoutPlan, PartitionLayout}
import io.sparkzorder.plan.ColumnPath
import io.sparkzorder.sampling.JointSample

/**
 * Derives ranks and file cuts from a sample. Runs on the driver, in memory bounded by the sample.
 *
 * @param plan
 *   what to do
 * @param ranks
 *   per z-order column
 */
final class LayoutPlanner(val curve: Curve, val ranks: Seq[ColumnRanks], val plan: LayoutPlan)

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
    val places = indices(sample, ranks, curve, partitions.size)
    val layouts = partitions.zip(places).map { case (files, sorted) =>
      val bytes = files.map(_.liveBytes).sum
      // Rows of a partition weigh the same, so cutting its rows evenly cuts its bytes evenly.
      val rows = files.flatMap(_.rows).sum
      // One place may be spread over many files, but no row is: more files than rows would only be empty tasks.
      val most = if (files.forall(_.rows.isDefined)) math.max(1L, rows) else Int.MaxValue.toLong
      val count = math.max(1L, math.round(bytes.toDouble / targetFileBytes)).min(most).min(Int.MaxValue.toLong).toInt
      PartitionLayout(
        files.head.partitionName,
        rows,
        bytes,
        FileCuts.stretches(sorted, count))
    }
    val names = columns.map(_._1.toString)
    val plan = LayoutPlan(names, curve.name, curve.bits, sample.rows.toLong, targetFileBytes, layouts)
    new LayoutPlanner(curve, ranks, plan)
  }

  /** Per table partition, the sampled rows' places on the curve, ascending. */
  private def indices(
      sample: JointSample,
      ranks: Seq[ColumnRanks],
      curve: Curve,
      partitions: Int): IndexedSeq[Array[Long]] = {
    val places = Array.fill(partitions)(Array.newBuilder[Long])
    val point = new Array[Long](ranks.length)
    for (row <- 0 until sample.rows) {
      for (axis <- ranks.indices) point(axis) = ranks(axis).rankOf(sample.keys(axis)(row))
      places(sample.partitions(row)) += curve.index(point)
    }
    places.toIndexedSeq.map { builder =>
      val sorted = builder.result()
      java.util.Arrays.sort(sorted)
      sorted
    }
  }
}
