// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import java.util.Arrays

import io.sparkzorder.columnar.BlockWriter

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{BinaryType, IntegerType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform

/**
 * The rows of column batches, in blocks that go to one task each: of each batch the rows of one task are one block, or
 * several if they are large. A row of the output is the number of the task and a block, with the rows' curve positions as keys.
 *
 * @param numbers
 *   in steps, each of which may refer to the columns of the child and to the numbers of the steps before
 * @param position
 *   the curve position among these, a BIGINT
 * @param taskOf
 *   the number of the task of a row, an INT of 0 or more, by its columns and numbers
 */
case class ColumnBlocksExec(
    columns: Seq[Attribute],
    numbers: Seq[Seq[NamedExpression]],
    position: Attribute,
    task: Attribute,
    block: Attribute,
    taskOf: Expression,
    child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = Seq(task, block)

  override def producedAttributes: AttributeSet = AttributeSet(output ++ numbers.flatten.map(_.toAttribute))

  override def outputPartitioning: Partitioning = UnknownPartitioning(child.outputPartitioning.numPartitions)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numRows" -> SQLMetrics.createMetric(sparkContext, "number of rows"),
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of blocks"),
    "numInputBatches" -> SQLMetrics.createMetric(sparkContext, "number of input batches")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val (input, wanted, key) = (child.output, columns, position)
    val steps = numbers :+ Seq(Alias(taskOf, task.name)(task.exprId))
    val (rowCount, blockCount, batchCount) =
      (longMetric("numRows"), longMetric("numOutputRows"), longMetric("numInputBatches"))
    child.executeColumnar().mapPartitions { batches =>
      val blocks = new BatchBlocks(input, wanted, steps, key)
      batches.flatMap { batch =>
        rowCount += batch.numRows
        batchCount += 1
        blocks.of(batch)
      }.map { block =>
        blockCount += 1
        block
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ColumnBlocksExec = copy(child = newChild)
}

object ColumnBlocksExec {

  def apply(
      columns: Seq[Attribute],
      numbers: Seq[Seq[NamedExpression]],
      position: Attribute,
      taskOf: Expression,
      child: SparkPlan): ColumnBlocksExec = ColumnBlocksExec(
    columns,
    numbers,
    position,
    AttributeReference("_zorder_task", IntegerType, nullable = false)(),
    AttributeReference("_zorder_block", BinaryType, nullable = false)(),
    taskOf,
    child
  )
}

/**
 * Makes the blocks of one task.
 *
 * @param steps
 *   the last number of the last one is the number of a row's task
 */
private final class BatchBlocks(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    steps: Seq[Seq[NamedExpression]],
    position: Attribute) {

  private val numbers = new RowNumbers(input, steps)
  private val (keyAt, taskAt) = (steps.flatten.indexWhere(_.exprId == position.exprId), steps.flatten.length - 1)
  private val writer = new BlockWriter(columns.map(_.dataType).toArray, BatchBlocks.Header)
  private val row = new UnsafeRow(2)

  // Of each row of the batch.
  private var keys = Array.emptyLongArray
  private var tasks = Array.emptyIntArray
  // The rows of the batch, those of one task behind those of another, and where those of each task end.
  private var order = Array.emptyIntArray
  private var ends = Array.emptyIntArray

  /** Blocks as rows: the same object each time, which is valid until the next one. */
  def of(batch: ColumnarBatch): Iterator[InternalRow] = {
    writer.set(numbers.select(batch, columns))
    assign(batch)
    new RowsOfBatch(batch) {
      override def next(): InternalRow = {
        val task = tasks(order(done))
        val (end, until) = write(done, ends(task))
        done = until
        asRow(task, end)
      }
    }
  }

  private def assign(batch: ColumnarBatch): Unit = {
    val n = batch.numRows
    if (keys.length < n) {
      keys = new Array[Long](n)
      tasks = new Array[Int](n)
      order = new Array[Int](n)
    }
    var most = -1
    var i = 0
    while (i < n) {
      val values = numbers.of(batch.getRow(i))
      keys(i) = values.getLong(keyAt)
      tasks(i) = values.getInt(taskAt)
      most = math.max(most, tasks(i))
      i += 1
    }
    if (ends.length <= most) ends = new Array[Int](most + 1)
    sort(n)
  }

  /** Sorts rows by their tasks, by counting; those of one task keep their order. */
  private def sort(n: Int): Unit = {
    Arrays.fill(ends, 0)
    var i = 0
    while (i < n) {
      ends(tasks(i)) += 1
      i += 1
    }
    var t = 1
    while (t < ends.length) {
      ends(t) += ends(t - 1)
      t += 1
    }
    i = n - 1
    while (i >= 0) {
      ends(tasks(i)) -= 1
      order(ends(tasks(i))) = i
      i -= 1
    }
    // What are the beginnings now are the ends of the tasks before.
    t = 0
    while (t < ends.length - 1) {
      ends(t) = ends(t + 1)
      t += 1
    }
    if (ends.nonEmpty) ends(ends.length - 1) = n
  }

  // Rows that are likely to fit into a block, where rows are large.
  private var likely = BatchBlocks.Many

  /** @return where the block ends, and the first row that is not in it */
  @scala.annotation.tailrec
  private def write(from: Int, last: Int): (Int, Int) = {
    val until = math.min(last, from + likely)
    val end = writer.write(keys, order, from, until)
    if (end >= 0) {
      likely = math.min(BatchBlocks.Many, 2 * likely)
      (end, until)
    } else {
      likely = (until - from) / 2
      write(from, last)
    }
  }

  /** The layout of Spark's rows: bits of NULLs, the task, offset and length of the block, the block. */
  private def asRow(task: Int, end: Int): UnsafeRow = {
    import BatchBlocks._
    val bytes = writer.bytes
    Platform.putLong(bytes, Base, 0L)
    Platform.putLong(bytes, Base + 8, task.toLong)
    Platform.putLong(bytes, Base + 16, Header.toLong << 32 | (end - Header))
    Platform.putLong(bytes, Base + end, 0L)
    row.pointTo(bytes, Base, (end + 7) & ~7)
    row
  }
}

private object BatchBlocks {
  private val Base = Platform.BYTE_ARRAY_OFFSET.toLong
  private val Header = 24
  private val Many = 1 << 20
}
