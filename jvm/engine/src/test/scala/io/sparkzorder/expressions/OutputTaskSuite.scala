// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.layout.{CurveRange, FileAssignment, LayoutPlan, SectionLayout}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DoubleType, IntegerType, LongType}

class OutputTaskSuite extends SparkFunSuite with ExpressionEvalHelper {

  private val assignment = FileAssignment.of(
    LayoutPlan(
      Seq("a"),
      "zorder",
      31,
      10,
      100,
      IndexedSeq(
        SectionLayout(0, "p=1", 10, 500, IndexedSeq(CurveRange(0, 1), CurveRange(10, 3), CurveRange(11, 1))),
        SectionLayout(1, "p=2", 10, 200, IndexedSeq(CurveRange(0, 1), CurveRange(1L << 40, 1)))
      )
    ),
    parallelism = 2
  )

  private val task = OutputTask(
    BoundReference(0, IntegerType, nullable = false),
    BoundReference(1, LongType, nullable = false),
    BoundReference(2, IntegerType, nullable = false),
    assignment)

  test("the task of a row, interpreted and generated alike") {
    for {
      (partition, index, hash, expected) <- Seq(
        (0, 0L, 5, 0),
        (0, 9L, -5, 0),
        (0, 10L, 0, 1),
        (0, 10L, 1, 2),
        (0, 10L, -1, 3),
        (0, 10L, Int.MinValue, 2),
        (0, 11L, 2, 4),
        (0, Long.MaxValue, 2, 4),
        (1, 0L, 9, 5),
        (1, (1L << 40) - 1, 9, 5),
        (1, 1L << 40, 9, 6)
      )
    } checkEvaluation(task, expected, InternalRow(partition, index, hash))
    assert(!task.nullable && task.dataType === IntegerType)
  }

  test("the hash of a row is computed only where a place is shared by files") {
    // Fails when evaluated: a division by zero under ANSI.
    val boom =
      Murmur3Hash(Seq(Divide(Literal(1.0), BoundReference(3, DoubleType, nullable = false), EvalMode.ANSI)), 42)
    val failing = task.copy(rowHash = boom)
    checkEvaluation(failing, 0, InternalRow(0, 0L, 0, 0.0))
    intercept[ArithmeticException](failing.eval(InternalRow(0, 10L, 0, 0.0)))
  }
}
