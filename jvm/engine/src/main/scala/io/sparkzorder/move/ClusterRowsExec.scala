// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.ReservedMemory
import io.sparkzorder.config.ZOrderConf

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.metric.{SQLShuffleReadMetricsReporter, SQLShuffleWriteMetricsReporter}

/**
 * Brings each row to the task that writes its file, and sorts the rows of each task: one shuffle of rows, or of column
 * blocks where a scan of plain columns delivers batches.
 *
 * It is no `Exchange`: adaptive execution must neither merge nor split its tasks, and where rows go may be known only when
 * it is executed, as a write draws a sample of its rows first. What stands above it may be a writer, a projection or a
 * filter, but no operator that takes each row for an `UnsafeRow`, such as a sort or a shuffle: rows of blocks are `ColumnsRow`s.
 *
 * @param output
 *   the columns of the child, as those who read the rows are to see them
 * @param partitions
 *   values by which the rows of a task are to be sorted first
 * @param inFile
 *   values by which rows are sorted within a file; none for the curve position
 * @param place
 *   finds where the rows of the child go; called once for an execution, on the driver
 */
private[sparkzorder] case class ClusterRowsExec(
    output: Seq[Attribute],
    partitions: Seq[Expression],
    inFile: Seq[Expression],
    @transient place: SparkPlan => Placement,
    child: SparkPlan)
    extends UnaryExecNode {
  import ClusterRowsExec._

  override def outputPartitioning: Partitioning = UnknownPartitioning(0)

  // Where rows keep their partitions, they are sorted by their sections, which have the order of the partitions.
  override def outputOrdering: Seq[SortOrder] = partitions.map(SortOrder(_, Ascending))

  override def simpleString(maxFields: Int): String =
    s"ClusterRows ${partitions.mkString("[", ", ", "]")}, ${inFile.mkString("[", ", ", "]")}"

  override def verboseStringWithOperatorId(): String =
    s"$formattedNodeName\n${ExplainUtils.generateFieldString("Input", child.output)}\nArguments: " +
      s"${partitions.mkString("[", ", ", "]")}, ${inFile.mkString("[", ", ", "]")}\n"

  private lazy val writeMetrics = SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private lazy val readMetrics = SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numTasks" -> SQLMetrics.createMetric(sparkContext, "number of tasks"),
    "numBlocks" -> SQLMetrics.createMetric(sparkContext, "number of column blocks")
  ) ++ readMetrics ++ writeMetrics

  override protected def doExecute(): RDD[InternalRow] = {
    val placement = place(child)
    val tasks = longMetric("numTasks")
    tasks.set(placement.assignment.tasks)
    SQLMetrics.postDriverMetricUpdates(sparkContext, executionId, Seq(tasks))
    val inBlocks = for {
      key <- BlockKey.of(inFile, output)
      scan <- BatchScan.of(child) if ZOrderConf.movesBlocks(conf) && fitsBlocks(placement)
    } yield blocks(scan, placement, key)
    inBlocks.getOrElse(rows(placement))
  }

  private def executionId: String = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)

  private def fitsBlocks(placement: Placement): Boolean =
    placement.keepsPartitions && placement.assignment.mostTasksOfPartition <= MostTasksOfBatch

  private def rows(placement: Placement): RDD[InternalRow] = {
    // One section has one number, which need not travel with each row.
    val number = if (placement.section.foldable) Nil else Seq(Alias(placement.section, "_zorder_section")())
    val section = number.headOption.fold(placement.section)(_.toAttribute)
    val position = Alias(placement.position(section), "_zorder_position")()
    val keyed = compiled(number, Seq(position))
    val moved = shuffled(
      keyed.execute(),
      keyed.output,
      placement.task(section, position.toAttribute),
      placement.assignment.tasks)
    // Values that a sort takes for one, as 0.0 and -0.0, may be two partitions; a section is of one.
    val first = if (placement.keepsPartitions) number.map(_.toAttribute) else partitions
    val order = (first ++ (if (inFile.isEmpty) Seq(position.toAttribute) else inFile)).map(SortOrder(_, Ascending))
    val (count, columns) = (child.output.size, keyed.output)
    TaskSort.rows(moved, columns, order).mapPartitions(TrailingColumns.drop(_, count, columns))
  }

  /** The rows of the child with more columns, some after others; computed by the code that makes the rows, if some does. */
  private def compiled(more: Seq[NamedExpression]*): SparkPlan = {
    def on(rows: SparkPlan) =
      more.filter(_.nonEmpty).foldLeft(rows)((below, of) => ProjectExec(below.output ++ of, below))
    child match {
      case stage: WholeStageCodegenExec => WholeStageCodegenExec(on(stage.child))(stage.codegenStageId)
      case other => on(other)
    }
  }

  private def blocks(scan: SparkPlan, placement: Placement, key: BlockKey): RDD[InternalRow] = {
    val (input, columns) = (scan.output, child.output)
    val count = longMetric("numBlocks")
    val made = scan.executeColumnar().mapPartitions { batches =>
      val blocks = new BatchBlocks(input, columns, placement, key)
      batches.flatMap(blocks.of).map { block =>
        count += 1
        block
      }
    }
    val assignment = placement.assignment
    val moved = shuffled(made, BatchBlocks.output, BatchBlocks.output.head, assignment.tasks)
    val (types, isPacked, tie) = (columns.map(_.dataType).toArray, assignment.isPacked, key.tie)
    moved.mapPartitions { blocks =>
      val memory = ReservedMemory.ofTask()
      Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => memory.release()))
      new SortedBlocks(types, isPacked, tie, memory).rows(blocks.map(BatchBlocks.read))
    }
  }

  /** @param task the number of a row's task, an INT over the columns */
  private def shuffled(
      rows: RDD[InternalRow],
      columns: Seq[Attribute],
      task: Expression,
      tasks: Int): RDD[InternalRow] = {
    val partitioning = DirectPartitioning(task, tasks)
    val serializer = new UnsafeRowSerializer(columns.size, longMetric("dataSize"))
    val dependency =
      ShuffleExchangeExec.prepareShuffleDependency(rows, columns, partitioning, serializer, writeMetrics)
    new ShuffledRowRDD(dependency, readMetrics)
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ClusterRowsExec = copy(child = newChild)
}

private[sparkzorder] object ClusterRowsExec {

  // With more tasks, blocks would have so few rows of a batch that they are no shorter than rows.
  private[move] val MostTasksOfBatch = 512
}
