// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import java.nio.ByteBuffer

import io.sparkzorder.sampling.Reservoir

import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.Exchange

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

  // Keys may be wide: what comes to the driver is bounded, by a part of what the user lets tasks send there, too.
  private val MostBytes = 64L << 20
  private val PartOfResults = 4

  private def mostBytes(conf: SparkConf): Long = {
    val results = conf.getSizeAsBytes("spark.driver.maxResultSize", "1g")
    if (results > 0) math.min(MostBytes, results / PartOfResults) else MostBytes
  }

  /** @param size most rows of the sample */
  def draw(by: RankedColumns, rows: RDD[InternalRow], size: Int): WriteSample = {
    val tasks = math.max(1, rows.getNumPartitions)
    val ofTask = math.max(1, math.min(size.toLong, Oversampling.toLong * size / tasks).toInt)
    // By Spark's own serializer of tasks, whatever the user has chosen for data.
    val bytesOfTask = mostBytes(rows.sparkContext.getConf) / tasks
    val drawn = rows.mapPartitions(in => Iterator.single(serialized(TaskSample.of(by, in, ofTask, bytesOfTask))))
    val samples = drawn.collect().map(deserialized).toIndexedSeq
    val count = samples.map(_.count).sum
    val share = math.min(1.0, size.toDouble / math.max(1L, count))
    val even = samples.flatMap(t => t.rows.take(math.ceil(t.count * share).toInt))
    WriteSample(even, count, samples.map(_.bytes).sum)
  }

  private def serialized(sample: TaskSample): Array[Byte] =
    JavaUtils.bufferToArray(SparkEnv.get.closureSerializer.newInstance().serialize(sample))

  private def deserialized(bytes: Array[Byte]): TaskSample = SparkEnv.get.closureSerializer
    .newInstance()
    .deserialize[TaskSample](ByteBuffer.wrap(bytes), Thread.currentThread.getContextClassLoader)
}

private final case class TaskSample(rows: IndexedSeq[SampledRow], count: Long, bytes: Long)

private object TaskSample {

  /** @param mostBytes most bytes of keys; where they are wider, there are fewer of them */
  def of(by: RankedColumns, rows: Iterator[InternalRow], size: Int, mostBytes: Long): TaskSample = {
    val (sampler, reservoir) = (new RowSampler(by), new Reservoir[SampledRow](size))
    var bytes = 0L
    rows.foreach { row =>
      val unsafe = row.asInstanceOf[UnsafeRow]
      bytes += unsafe.getSizeInBytes
      if (reservoir.takesNext()) reservoir.take(sampler(unsafe))
    }
    // The order of a reservoir is no random one, so that a part of it would not be an even sample.
    val shuffled = new scala.util.Random(reservoir.count).shuffle(reservoir.sample)
    val fit = shuffled.iterator.scanLeft(0L)(_ + _.bytes).takeWhile(_ <= mostBytes).size - 1
    TaskSample(shuffled.take(math.max(1, fit)), reservoir.count, bytes)
  }
}

/**
 * The query of a write whose rows move, to be computed once more for a sample.
 *
 * @param plan
 *   the optimized query
 * @param axes
 *   the values that are ranked, over the query's columns
 * @param partitions
 *   the values of a row's table partition, likewise
 */
private[write] final class SampledQuery(plan: LogicalPlan, axes: Seq[Expression], partitions: Seq[Expression]) {
  import SampledQuery._

  /**
   * Draws a sample of about `size` rows.
   *
   * A query without a shuffle is planned a second time with the columns of the sample alone, so that its scans read no
   * others. One with a shuffle is computed as it is: its shuffles are done by then, or will be used again.
   *
   * @param rows
   *   the physical plan of the query
   * @param ranked
   *   the values that are ranked, over its output
   */
  def draw(session: SparkSession, rows: SparkPlan, ranked: RankedColumns, size: Int): WriteSample =
    if (rows.exists(p => p.isInstanceOf[Exchange] || p.isInstanceOf[QueryStageExec]))
      WriteSample.draw(ranked, rows.execute(), size)
    else {
      val narrow =
        QueryExecution.prepareExecutedPlan(session, Project((axes ++ partitions).map(Alias(_, "_value")()), plan))
      val (values, folders) = narrow.output.splitAt(axes.size)
      val sample = WriteSample.draw(RankedColumns(narrow.output, values, folders), narrow.execute(), size)
      sample.copy(bytes = (sample.count * bytesOfRow(rows.execute())).toLong)
    }
}

private object SampledQuery {

  // Of each task; enough for the width of a row.
  private val MeasuredRows = 200

  private def bytesOfRow(rows: RDD[InternalRow]): Double = {
    val sizes = rows.mapPartitions { in =>
      val bytes = in.take(MeasuredRows).map(_.asInstanceOf[UnsafeRow].getSizeInBytes.toLong).toSeq
      Iterator.single(Array(bytes.sum, bytes.size.toLong))
    }.collect()
    sizes.map(_(0)).sum.toDouble / math.max(1L, sizes.map(_(1)).sum)
  }
}
