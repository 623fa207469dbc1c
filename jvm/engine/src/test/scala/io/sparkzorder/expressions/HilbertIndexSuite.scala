// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.curve.HilbertCurve

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, Literal}
import org.apache.spark.sql.types.{IntegerType, NullType}

class HilbertIndexSuite extends QueryTest with ZOrderSharedSession with ExpressionEvalHelper {

  test("it is the curve's own index, interpreted and generated alike") {
    val axes = Seq(0, 1, 2).map(BoundReference(_, IntegerType, nullable = true))
    val expression = HilbertIndex(Literal(3) +: axes)
    val curve = new HilbertCurve(3, 3)
    val random = new scala.util.Random(11)
    for (_ <- 1 to 50) {
      val point = Seq.fill(3)(random.nextInt(8))
      checkEvaluation(expression, curve.position(point.map(_.toLong).toArray), InternalRow.fromSeq(point))
    }
  }

  test("NULL counts as 0, and only the lowest bits count") {
    val expected = new HilbertCurve(2, 4).position(Array(0L, 9L))
    checkEvaluation(HilbertIndex(Seq(Literal(4), Literal.create(null, IntegerType), Literal(9))), expected)
    checkEvaluation(HilbertIndex(Seq(Literal(4), Literal(null, NullType), Literal(9))), expected)
    checkEvaluation(HilbertIndex(Seq(Literal(4), Literal(16), Literal(-16 + 9))), expected)
  }

  test("points in its order are neighbours") {
    val points = sql("""SELECT x.id, y.id FROM range(16) x CROSS JOIN range(16) y
                       |ORDER BY hilbert_index(4, CAST(x.id AS INT), CAST(y.id AS INT))""".stripMargin)
      .collect()
      .map(r => (r.getLong(0), r.getLong(1)))
    assert(points.distinct.length === 256)
    points.zip(points.tail).foreach { case ((a, b), (c, d)) => assert(math.abs(a - c) + math.abs(b - d) === 1) }
    checkAnswer(sql("SELECT hilbert_index(31, 0, 0)"), Row(0L))
  }

  test("arguments that it does not take") {
    for ((call, condition, sqlState) <- Seq(
        ("hilbert_index()", "ZORDER_NO_AXIS", "42605"),
        ("hilbert_index(4)", "ZORDER_NO_AXIS", "42605"),
        ("hilbert_index(0, 1)", "ZORDER_INVALID_BITS", "22023"),
        ("hilbert_index(32, 1)", "ZORDER_INVALID_BITS", "22023"),
        ("hilbert_index(31, 1, 2, 3)", "ZORDER_INVALID_BITS", "22023"),
        ("hilbert_index(CAST(NULL AS INT), 1)", "ZORDER_INVALID_BITS", "22023"),
        ("hilbert_index(CAST(id AS INT), 1)", "ZORDER_INVALID_BITS", "22023"),
        ("hilbert_index(4, id)", "ZORDER_INVALID_ARGUMENT_TYPE", "42K09"),
        ("hilbert_index('4', 1)", "ZORDER_INVALID_ARGUMENT_TYPE", "42K09")
      )) {
      val e = intercept[AnalysisException](sql(s"SELECT $call FROM range(1)"))
      assert(e.getCondition === condition && e.getSqlState === sqlState, call)
    }
  }
}
