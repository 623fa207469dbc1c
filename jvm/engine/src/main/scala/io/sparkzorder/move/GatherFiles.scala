// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import scala.collection.mutable.ArrayBuffer

import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.{PartitionCoalescer, PartitionGroup, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{ExplainUtils, SparkPlan, SparkStrategy, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.FilePartition

/**
 * The rows of a rewrite that keeps the order of its files: each task has the rows of the files of one bin, file after file,
 * as they are read. Nothing is shuffled and nothing is sorted.
 *
 * @param output
 *   the columns of the analyzed rows, as of [[ClusterRows]]
 * @param bins
 *   the files of each bin by their locations, in the order in which their rows are to come; all of a bin are of one table
 *   partition
 * @param partitions
 *   columns by whose values the writer wants the rows of a task sorted
 * @param child
 *   a scan of these files in which each of them is a task of its own, as `ReadSplits.whole` makes it
 */
case class GatherFiles(
    output: Seq[Attribute],
    bins: IndexedSeq[IndexedSeq[String]],
    partitions: Seq[Attribute],
    child: LogicalPlan)
    extends RowsOfRewrite {

  override def simpleString(maxFields: Int): String = s"GatherFiles ${bins.map(_.size).sum} files, ${bins.size} tasks"

  override protected def withNewChildInternal(newChild: LogicalPlan): GatherFiles = copy(child = newChild)
}

/** Plans [[GatherFiles]]. */
object GatherFilesStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case GatherFiles(output, bins, partitions, child) =>
      Seq(GatherFilesExec(output, bins, partitions, planLater(child)))
    case _ => Nil
  }
}

/** Puts the tasks that read the files of a bin one after the other into one task. */
private[sparkzorder] case class GatherFilesExec(
    output: Seq[Attribute],
    bins: IndexedSeq[IndexedSeq[String]],
    partitions: Seq[Expression],
    child: SparkPlan)
    extends UnaryExecNode {

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  // The rows of a task are of one table partition.
  override def outputOrdering: Seq[SortOrder] = partitions.map(SortOrder(_, Ascending))

  override def simpleString(maxFields: Int): String = s"GatherFiles ${bins.map(_.size).sum} files, ${bins.size} tasks"

  override def verboseStringWithOperatorId(): String =
    s"$formattedNodeName\n${ExplainUtils.generateFieldString("Input", child.output)}\n"

  override protected def doExecute(): RDD[InternalRow] =
    child.execute().coalesce(bins.size, shuffle = false, Some(new TasksOfBins(bins)))

  override protected def withNewChildInternal(newChild: SparkPlan): GatherFilesExec = copy(child = newChild)
}

/**
 * Finds the tasks that read the files of each bin, by the files themselves. Whatever is read otherwise than one file in a
 * task is refused: rows of two bins in one task would be in a file of the wrong partition.
 */
private[move] final class TasksOfBins(@transient bins: IndexedSeq[IndexedSeq[String]])
    extends PartitionCoalescer
    with Serializable {

  override def coalesce(maxPartitions: Int, parent: RDD[_]): Array[PartitionGroup] = {
    val tasks = parent.partitions.map {
      case of: FilePartition if of.files.length == 1 => of.files.head.toPath -> of
      case other => throw new IllegalStateException(s"Not a task of one file: $other")
    }
    val byFile = tasks.groupBy(_._1)
    val groups = bins.map { files =>
      val of = files.flatMap { file =>
        val found = byFile.getOrElse(new Path(file), throw new IllegalStateException(s"No task reads $file"))
        // One of a file, or one of each part of it.
        found.map(_._2).sortBy(_.files.head.start)
      }
      val group = new PartitionGroup(None)
      group.partitions ++= ArrayBuffer.from(of)
      group
    }
    val (read, gathered) = (tasks.length, groups.map(_.numPartitions).sum)
    if (read != gathered)
      throw new IllegalStateException(s"$read tasks read files, and $gathered of them those of bins")
    groups.toArray
  }
}
