// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Numbers that are computed of rows: INT or BIGINT, never NULL. Not thread-safe.
 *
 * @param input
 *   the columns of the rows
 * @param steps
 *   what is computed together; it may refer to the columns and to the numbers of the steps before
 */
private[move] final class RowNumbers(input: Seq[Attribute], steps: Seq[Seq[NamedExpression]]) {

  private val all = steps.flatten
  private val isLong = all.map(_.dataType == LongType).toArray
  private val values = new SpecificInternalRow(all.map(_.dataType))
  private val both = new JoinedRow

  private final class Step(first: Int, numbers: Seq[NamedExpression]) {
    private val count = numbers.length
    private val own = new SpecificInternalRow(numbers.map(_.dataType))
    private val project = MutableProjection.create(numbers, input ++ all.take(first).map(_.toAttribute)).target(own)

    def compute(row: InternalRow): Unit = {
      project(if (first == 0) row else both(row, values))
      var n = 0
      while (n < count) {
        if (isLong(first + n)) values.setLong(first + n, own.getLong(n)) else values.setInt(first + n, own.getInt(n))
        n += 1
      }
    }
  }

  private val computed: Array[Step] =
    steps.scanLeft(0)(_ + _.length).zip(steps).collect { case (first, step) if step.nonEmpty => new Step(first, step) }
      .toArray

  /** @return the numbers in the order of the steps: the same object each time, valid until the next call */
  def numbersOf(row: InternalRow): InternalRow = {
    var s = 0
    while (s < computed.length) {
      computed(s).compute(row)
      s += 1
    }
    values
  }

  /**
   * The columns of the input. A scan may have more after them, such as the positions of rows, by which it finds the
   * deleted ones: they would be taken for the numbers.
   */
  def inputOf(batch: ColumnarBatch): ColumnarBatch =
    if (batch.numCols == input.length) batch
    else {
      require(batch.numCols > input.length, s"A batch of ${batch.numCols} columns for ${input.length}")
      new ColumnarBatch(Array.tabulate(input.length)(batch.column), batch.numRows)
    }

  /** Some columns of a batch of the input's. */
  def select(batch: ColumnarBatch, columns: Seq[Attribute]): ColumnarBatch = {
    val places = columns.map(c => input.indexWhere(_.exprId == c.exprId))
    new ColumnarBatch(places.map(batch.column).toArray, batch.numRows)
  }
}
