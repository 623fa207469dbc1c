// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.global

import io.sparkzorder.config.{TargetFileSize, ZOrderConf}
import io.sparkzorder.expressions.{OutputTask, RowHash}
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.write.rank.{ColumnAppender, RankedColumns, WriteRanks}

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, ShufflePartitionIdPassThrough, UnknownPartitioning}
import org.apache.spark.sql.execution.{ShuffledRowRDD, SparkPlan, UnaryExecNode, UnsafeRowSerializer}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}

/**
 * The rows of a write, each in the task that writes its range of the curve, with their curve positions. Executing it
 * computes the rows twice: once for the sample, and once to shuffle them.
 *
 * It is no `Exchange`: what it does depends on the sample, and adaptive execution must neither merge nor split its tasks,
 * each of which writes one file, or one of each of several small partitions.
 *
 * @param section
 *   the column of the numbers of sections, an INT
 * @param position
 *   the column of curve positions, a BIGINT, last in the output
 * @param query
 *   the query of the rows, for the sample; stays on the driver
 */
private[write] case class MovedRowsExec(
    axes: Seq[Expression],
    partitions: Seq[Expression],
    section: Attribute,
    position: Attribute,
    @transient query: SampledQuery,
    child: SparkPlan)
    extends UnaryExecNode
    with Logging {

  override def output: Seq[Attribute] = child.output :+ section :+ position

  override def simpleString(maxFields: Int): String =
    s"MovedRows ${axes.mkString("[", ", ", "]")}, ${partitions.mkString("[", ", ", "]")}, $position"

  override def producedAttributes: AttributeSet = AttributeSet(Seq(section, position))

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  private lazy val writeMetrics = SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private lazy val readMetrics = SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] =
    Map("dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size")) ++ readMetrics ++ writeMetrics

  private lazy val serializer: Serializer = new UnsafeRowSerializer(output.size, longMetric("dataSize"))

  // How many bytes the query will make is known too late, and roughly, to size files by it.
  private def targetBytes: Long = ZOrderConf.targetFileSize(conf) match {
    case TargetFileSize.Asked(bytes) => bytes
    case TargetFileSize.Auto => TargetFileSize.Most
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val by = RankedColumns(child.output, axes, partitions)
    val sample = query.draw(session, child, by, ZOrderConf.sampleSize(conf))
    val ranks = new WriteRanks(by, sample.rows)
    val plan = new WriteLayout(ranks, sample, targetBytes, sparkContext.defaultParallelism).plan
    logInfo(s"order on write: ${plan.rows} rows to about ${plan.files} files, of ${plan.sections.size} sections")
    val assignment = FileAssignment.of(plan, sparkContext.defaultParallelism)
    val columns = Seq(ranks.section, ranks.position)
    val keyed = child.execute().mapPartitions { in =>
      val append = new ColumnAppender(by.output, columns)
      in.map(row => append(row.asInstanceOf[UnsafeRow]): InternalRow)
    }
    val task = OutputTask(section, position, hash(ranks.others), assignment)
    val partitioning = ShufflePartitionIdPassThrough(DirectShufflePartitionID(task), assignment.tasks)
    val dependency =
      ShuffleExchangeExec.prepareShuffleDependency(keyed, output, partitioning, serializer, writeMetrics)
    new ShuffledRowRDD(dependency, readMetrics)
  }

  /** Rows of a partition that was not sampled are few; they stay together, so that they make one file. */
  private def hash(others: Int): Expression =
    if (partitions.isEmpty) RowHash.of(child.output)
    else If(EqualTo(section, Literal(others)), Murmur3Hash(partitions, seed = 42), RowHash.of(child.output))

  override protected def withNewChildInternal(newChild: SparkPlan): MovedRowsExec = copy(child = newChild)
}
