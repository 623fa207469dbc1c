// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.column.KeyType
import io.sparkzorder.curve.Curve
import io.sparkzorder.expressions.{CurvePosition, PartitionNumbers, PartitionOrdinal, SortKey}
import io.sparkzorder.layout.CellAspect
import io.sparkzorder.sampling.{JointSample, RankedSample}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{StructField, StructType}

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

/**
 * The values by which the rows of a write are ranked.
 *
 * @param output
 *   the columns of the rows
 * @param axes
 *   the values that are ranked, over `output`; the curve has an axis for each
 * @param partitions
 *   the values of a row's table partition, over `output`
 */
private[write] final case class RankedColumns(
    output: Seq[Attribute],
    axes: Seq[Expression],
    partitions: Seq[Expression]) {

  val keyTypes: Seq[KeyType] = axes.map(a => KeyType.of(a.dataType).get)

  val curve: Curve = Curve.of(Curve.names.head, axes.size)

  val partitionSchema: StructType = RankedColumns.schema(partitions)

  /** Computes the keys of a row, as columns. Not thread-safe: a task makes its own. */
  def keyProjection: UnsafeProjection =
    UnsafeProjection.create(axes.zip(keyTypes).map { case (axis, keyType) => SortKey(axis, keyType) }, output)
}

private[write] object RankedColumns {

  /** The schema of rows of these values. */
  def schema(values: Seq[Expression]): StructType =
    StructType(values.zipWithIndex.map { case (v, i) => StructField(s"_$i", v.dataType, v.nullable) })
}

/**
 * The keys and the partition of one row, on memory of their own.
 *
 * @param bytes
 *   number of bytes that they take, roughly
 */
private[write] final case class SampledRow(partition: UnsafeRow, keys: Array[Any], bytes: Long)

/** Takes the [[SampledRow]] of a row. Not thread-safe: a task makes its own. */
private[write] final class RowSampler(by: RankedColumns) extends (UnsafeRow => SampledRow) {

  private val partitionOf = UnsafeProjection.create(by.partitions, by.output)
  private val keysOf = by.keyProjection
  private val keyTypes = by.keyTypes.toArray

  override def apply(row: UnsafeRow): SampledRow = {
    val keys = keysOf(row)
    val values = Array.tabulate[Any](keyTypes.length)(i => JointSample.keyOf(keys, i, keyTypes(i)))
    val partition = if (by.partitions.isEmpty) RowSampler.noPartition else partitionOf(row).copy()
    SampledRow(partition, values, keys.getSizeInBytes.toLong + partition.getSizeInBytes)
  }
}

private object RowSampler {
  private val noPartition = new UnsafeRow(0)
  noPartition.pointTo(new Array[Byte](0), 0)
}
