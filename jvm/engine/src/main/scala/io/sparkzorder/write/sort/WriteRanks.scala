// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import io.sparkzorder.expressions.{CurvePosition, PartitionNumbers, PartitionOrdinal}
import io.sparkzorder.layout.CellAspect
import io.sparkzorder.sampling.{JointSample, RankedSample}

import org.apache.spark.sql.catalyst.expressions._

/**
 * Ranks made from a sample of a write's rows. Table partitions of which rows were sampled have sections of their own; the
 * last section is that of all others.
 */
private[write] final class WriteRanks(val by: RankedColumns, rows: IndexedSeq[SampledRow]) {

  /** The sampled partitions, in the order of their sections. */
  val partitions: IndexedSeq[UnsafeRow] =
    if (by.partitions.isEmpty) IndexedSeq.empty else rows.map(_.partition).distinct

  /** The number of the last section. */
  val others: Int = partitions.size

  private val sectionOf = partitions.zipWithIndex.toMap

  val ranked: RankedSample = {
    val sections = rows.map(r => sectionOf.getOrElse(r.partition, others)).toArray
    val keys = by.keyTypes.indices.map(axis => rows.map(_.keys(axis)).toArray)
    RankedSample.of(
      new JointSample(sections, keys),
      by.keyTypes,
      by.curve,
      IndexedSeq.fill(others + 1)(CellAspect.Even))
  }

  /** The number of a row's section, an INT. */
  val section: Expression =
    if (by.partitions.isEmpty) Literal(0)
    else PartitionOrdinal(by.partitions, new PartitionNumbers(by.partitionSchema, partitions, Some(others)))

  /** The curve position of a row, a BIGINT. */
  val position: Expression = CurvePosition(section, by.axes, ranked.ranks, by.curve)
}
