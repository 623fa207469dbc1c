// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import io.sparkzorder.curve.Curve
import io.sparkzorder.expressions.SortKey
import io.sparkzorder.key.KeyType
import io.sparkzorder.sampling.{JointSampler, Reservoir}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructType

/**
 * By what the rows of a write are ranked.
 *
 * @param output
 *   the columns of the rows
 * @param axes
 *   the values that are ranked, over `output`; the curve has an axis for each
 * @param partitions
 *   the values of a row's table partition, over `output`
 */
private[write] final case class RankedBy(output: Seq[Attribute], axes: Seq[Expression], partitions: Seq[Expression]) {

  val keyTypes: Seq[KeyType] = axes.map(a => KeyType.of(a.dataType).get)

  val curve: Curve = Curve.of(Curve.names.head, axes.size)

  val partitionSchema: StructType =
    StructType(partitions.zipWithIndex.map { case (p, i) => StructType(Nil).add(s"_$i", p.dataType, p.nullable).head })
}

/** The keys and the partition of one row, on memory of their own. */
private[write] final case class SampledRow(partition: UnsafeRow, keys: Array[Any])

/** Takes the [[SampledRow]] of a row. Not thread-safe: a task makes its own. */
private[write] final class RowSampler(by: RankedBy) extends (UnsafeRow => SampledRow) {

  private val partitionOf = UnsafeProjection.create(by.partitions, by.output)
  private val keysOf = UnsafeProjection.create(by.axes.zip(by.keyTypes).map { case (a, t) => SortKey(a, t) }, by.output)
  private val keyTypes = by.keyTypes.toArray

  override def apply(row: UnsafeRow): SampledRow = {
    val keys = keysOf(row)
    val values = Array.tabulate[Any](keyTypes.length) { i =>
      if (keys.isNullAt(i)) null else JointSampler.keyOf(keys, i, keyTypes(i))
    }
    SampledRow(partitionOf(row).copy(), values)
  }
}

/**
 * A sample of the rows of all tasks of a write.
 *
 * @param rows
 *   rows, all drawn with about the same probability
 * @param count
 *   number of the write's rows
 * @param bytes
 *   number of bytes of the write's rows in Spark's row format
 */
private[write] final case class WriteSample(rows: IndexedSeq[SampledRow], count: Long, bytes: Long)

private[write] object WriteSample {

  // A task with more rows than others has more of them in the sample, so that each draws more than its even share.
  private val Oversampling = 3

  /** @param size most rows of the sample */
  def draw(by: RankedBy, rows: RDD[InternalRow], size: Int): WriteSample = {
    val ofTask =
      math.max(1, math.min(size.toLong, Oversampling.toLong * size / math.max(1, rows.getNumPartitions)).toInt)
    val tasks = rows.mapPartitions(in => Iterator.single(TaskSample.of(by, in, ofTask))).collect().toIndexedSeq
    val count = tasks.map(_.count).sum
    val share = math.min(1.0, size.toDouble / math.max(1L, count))
    val even = tasks.flatMap(t => t.rows.take(math.ceil(t.count * share).toInt))
    WriteSample(even, count, tasks.map(_.bytes).sum)
  }
}

private final case class TaskSample(rows: IndexedSeq[SampledRow], count: Long, bytes: Long)

private object TaskSample {

  def of(by: RankedBy, rows: Iterator[InternalRow], size: Int): TaskSample = {
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](size))
    var bytes = 0L
    rows.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      bytes += unsafe.getSizeInBytes
      if (reservoir.takesNext()) reservoir.take(sampler(unsafe))
    }
    // The places in a reservoir are no random order, so a share of it would not be an even one.
    TaskSample(new scala.util.Random(reservoir.count).shuffle(reservoir.sample), reservoir.count, bytes)
  }
}
