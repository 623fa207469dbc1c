// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.BatchRows

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Rows of column batches: `columns` of the child, and behind them `numbers`, each INT or BIGINT, never NULL.
 *
 * @param numbers
 *   in steps, each of which may refer to the columns of the child and to the numbers of the steps before
 */
case class RowsFromBatchesExec(columns: Seq[Attribute], numbers: Seq[Seq[NamedExpression]], child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = columns ++ numbers.flatten.map(_.toAttribute)

  override def producedAttributes: AttributeSet = AttributeSet(numbers.flatten.map(_.toAttribute))

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "numInputBatches" -> SQLMetrics.createMetric(sparkContext, "number of input batches")
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val (input, wanted, behind) = (child.output, columns, numbers)
    val (rowCount, batchCount) = (longMetric("numOutputRows"), longMetric("numInputBatches"))
    child.executeColumnar().mapPartitions { batches =>
      val rows = new NumberedRows(input, wanted, behind)
      batches.flatMap { batch =>
        rowCount += batch.numRows
        batchCount += 1
        rows.of(batch)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): RowsFromBatchesExec = copy(child = newChild)
}

/** Makes the rows of one task. */
private final class NumberedRows(input: Seq[Attribute], columns: Seq[Attribute], steps: Seq[Seq[NamedExpression]]) {

  // The field of the first number.
  private val first = columns.length
  private val isLong = steps.flatten.map(_.dataType == LongType).toArray
  private val rows = new BatchRows(columns.map(_.dataType).toArray, isLong.length)
  private val numbers = new RowNumbers(input, steps)

  def of(batch: ColumnarBatch): Iterator[InternalRow] = {
    rows.set(numbers.select(batch, columns))
    new RowsOfBatch(batch) {
      override def next(): InternalRow = {
        val row = rows(done)
        val values = numbers.of(batch.getRow(done))
        var n = 0
        while (n < isLong.length) {
          if (isLong(n)) row.setLong(first + n, values.getLong(n))
          else row.setInt(first + n, values.getInt(n))
          n += 1
        }
        done += 1
        row
      }
    }
  }
}
