// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.expressions.RowHash
import io.sparkzorder.layout.FileAssignment
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
