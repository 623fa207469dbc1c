// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.expressions.CurveIndex

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Has [[RowsFromBatchesExec]] read a scan in a rewrite, where all that is computed of its rows is their section and their
 * curve position. A scan with columns that [[BatchRows]] does not write is left to Spark.
 */
object RowsFromBatches extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = plan.transformDown { case project: ProjectExec =>
      rows(project).filter(isKeyed).getOrElse(project)
    }
  }

  private def rows(plan: SparkPlan): Option[RowsFromBatchesExec] = plan match {
    case scan: FileSourceScanExec if scan.supportsColumnar => Some(RowsFromBatchesExec(scan.output, Nil, scan))
    case ProjectExec(list, child) => rows(child).flatMap(below => withMore(list, below))
    case _ => None
  }

  /** A projection that keeps the numbers there are, and puts more behind them. */
  private def withMore(list: Seq[NamedExpression], below: RowsFromBatchesExec): Option[RowsFromBatchesExec] = {
    val (kept, more) = list.span(_.isInstanceOf[Attribute])
    val (columns, numbers) = kept.splitAt(kept.length - below.numbers.flatten.length)
    Option.when(
      numbers.map(_.exprId) == below.numbers.flatten.map(_.exprId) &&
        columns.forall(c => below.columns.exists(_.exprId == c.exprId)) && more.forall(isNumber))(
      below.copy(columns.map(_.toAttribute), below.numbers :+ more))
  }

  private def isNumber(e: NamedExpression): Boolean =
    !e.nullable && e.deterministic && (e.dataType == IntegerType || e.dataType == LongType)

  private def isKeyed(rows: RowsFromBatchesExec): Boolean =
    rows.columns.forall(c => BatchRows.isSupported(c.dataType)) &&
      rows.numbers.flatten.exists(_.exists(_.isInstanceOf[CurveIndex]))
}

/**
 * Rows of column batches: `columns` of the child, and behind them `numbers`, each INT or BIGINT, never NULL.
 *
 * @param numbers
 *   in steps, each of which may refer to the columns of the child and to the numbers of the steps before
 */
case class RowsFromBatchesExec(columns: Seq[Attribute], numbers: Seq[Seq[NamedExpression]], child: SparkPlan)
    extends ColumnarToRowTransition {

  override def output: Seq[Attribute] = columns ++ numbers.flatten.map(_.toAttribute)

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
private final class NumberedRows(
    input: Seq[Attribute],
    columns: Seq[Attribute],
    numbers: Seq[Seq[NamedExpression]]) {

  private val places = columns.map(c => input.indexWhere(_.exprId == c.exprId)).toArray
  private val rows = new BatchRows(columns.map(_.dataType).toArray, numbers.flatten.length)

  private val steps = numbers
    .scanLeft(Seq.empty[NamedExpression])(_ ++ _)
    .zip(numbers)
    .map { case (before, step) => new Step(input, before.map(_.toAttribute), step, columns.length + before.length) }
    .toArray

  def of(batch: ColumnarBatch): Iterator[InternalRow] = {
    rows.set(new ColumnarBatch(places.map(batch.column), batch.numRows))
    new Iterator[InternalRow] {
      private var i = 0

      override def hasNext: Boolean = {
        val more = i < batch.numRows
        if (!more) batch.closeIfFreeable()
        more
      }

      override def next(): InternalRow = {
        val row = rows(i)
        val columns = batch.getRow(i)
        steps.foreach(_.compute(columns, row))
        i += 1
        row
      }
    }
  }
}

/**
 * Numbers of a row that are computed together.
 *
 * @param before
 *   the numbers there are already, the last ones of the row
 * @param first
 *   the field of the first of these
 */
private final class Step(input: Seq[Attribute], before: Seq[Attribute], numbers: Seq[NamedExpression], first: Int) {

  private val values = new SpecificInternalRow(numbers.map(_.dataType))
  private val project = MutableProjection.create(numbers, input ++ before).target(values)
  private val isLong = numbers.map(_.dataType == LongType).toArray
  private val known = new GenericInternalRow(before.length)
  private val both = new JoinedRow

  def compute(columns: InternalRow, row: UnsafeRow): Unit = {
    project(if (before.isEmpty) columns else both(columns, knownOf(row)))
    var n = 0
    while (n < isLong.length) {
      if (isLong(n)) row.setLong(first + n, values.getLong(n)) else row.setInt(first + n, values.getInt(n))
      n += 1
    }
  }

  private def knownOf(row: UnsafeRow): InternalRow = {
    for (n <- before.indices) known.update(n, row.get(first - before.length + n, before(n).dataType))
    known
  }
}
