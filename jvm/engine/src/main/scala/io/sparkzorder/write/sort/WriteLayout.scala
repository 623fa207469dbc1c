// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import io.sparkzorder.layout.{CurveRange, FileCuts, LayoutPlan, SectionLayout}

/**
 * The files that a write makes where its rows move: about the target size, cut at borders of curve cells as OPTIMIZE
 * cuts them.
 *
 * @param targetBytes
 *   bytes of a file to aim at
 * @param parallelism
 *   number of tasks that run at once; a write that is large enough makes as many files
 */
private[write] final class WriteLayout(ranks: WriteRanks, sample: WriteSample, targetBytes: Long, parallelism: Int) {
  import WriteLayout._

  def plan: LayoutPlan = {
    val bytes = sample.bytes / BytesInMemory
    val target = math.max(math.min(targetBytes, SmallFile), math.min(targetBytes, bytes / parallelism))
    val ranked = ranks.ranked
    val shares = ranked.rowsOf.map(_.length.toDouble / math.max(1, sample.rows.size))
    val sampled = ranked.rowsOf.indices.init.map(section => layout(section, shares(section), bytes, target))
    LayoutPlan(
      ranks.by.axes.map(_.sql),
      ranks.by.curve.name,
      ranks.by.curve.bits,
      sample.rows.size.toLong,
      target,
      sampled :+ last(shares.last, bytes, target))
  }

  private def layout(section: Int, share: Double, bytes: Long, target: Long): SectionLayout = {
    val own = (bytes * share).toLong
    val ranges = FileCuts.ranges(ranks.ranked.sortedPositions(section), FileCuts.files(own.toDouble, target))
    SectionLayout(section, s"partition $section", (sample.count * share).toLong, own, ranges)
  }

  /** All rows of a table without partitions; else rows of partitions that were not sampled, spread over some tasks. */
  private def last(share: Double, bytes: Long, target: Long): SectionLayout =
    if (ranks.partitions.isEmpty) layout(ranks.others, share, bytes, target).copy(name = "the rows")
    else SectionLayout(ranks.others, "other partitions", 0L, target, IndexedSeq(CurveRange(0L, parallelism)))
}

private object WriteLayout {

  // Spark's rows take three to four times the bytes of a Parquet file of them (events, flights, TPC-DS store_sales).
  private val BytesInMemory = 3

  // A file that is worth a task of its own.
  private val SmallFile = 16L << 20
}
