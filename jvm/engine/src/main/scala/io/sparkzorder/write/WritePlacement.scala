// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.expressions.RowHash
import io.sparkzorder.layout.{CurveRange, FileAssignment, FileCuts, LayoutPlan, SectionLayout}
import io.sparkzorder.move.Placement

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan

/**
 * Where the rows of a write go, by a sample of them: the rows are computed twice, once for the sample.
 *
 * @param query
 *   the query of the rows, for the sample
 * @param axes
 *   the values that are ranked, over the rows' columns
 * @param partitions
 *   the values of a row's table partition, likewise
 */
private[write] final class WritePlacement(query: SampledQuery, axes: Seq[Expression], partitions: Seq[Expression])
    extends (SparkPlan => Placement)
    with Logging {

  override def apply(rows: SparkPlan): Placement = {
    val (conf, parallelism) = (rows.conf, rows.session.sparkContext.defaultParallelism)
    val by = RankedColumns(rows.output, axes, partitions)
    val sample = query.draw(rows.session, rows, by, ZOrderConf.sampleSize(conf))
    val ranks = new WriteRanks(by, sample.rows)
    // How many bytes the query will make is known too late, and roughly, to size files by it.
    val target = ZOrderConf.targetFileSize(conf) match {
      case TargetFileSize.Asked(bytes) => bytes
      case TargetFileSize.Auto => TargetFileSize.Most
    }
    val plan = new WriteLayout(ranks, sample, target, parallelism).plan
    logInfo(s"order on write: ${plan.rows} rows to about ${plan.files} files, of ${plan.sections.size} sections")
    Placement(
      ranks.section,
      axes,
      ranks.ranked.ranks,
      by.curve,
      hash(rows.output, ranks),
      FileAssignment.of(plan, parallelism),
      keepsPartitions = partitions.isEmpty)
  }

  /** Rows of a partition that was not sampled are few; they stay together, so that they make one file. */
  private def hash(output: Seq[Attribute], ranks: WriteRanks): Expression =
    if (partitions.isEmpty) RowHash.of(output)
    else
      If(
        EqualTo(ranks.section, Literal(ranks.others)),
        Murmur3Hash(partitions, seed = 42),
        RowHash.of(output))
}

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
