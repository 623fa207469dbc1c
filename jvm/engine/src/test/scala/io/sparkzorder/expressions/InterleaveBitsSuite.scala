// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import io.sparkzorder.{LongTest, ZOrderSharedSession}
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, BoundReference, ExpressionEvalHelper, Literal}
import org.apache.spark.sql.functions.{call_function, col, hex}
import org.apache.spark.sql.types.{IntegerType, NullType}

class InterleaveBitsSuite extends QueryTest with ZOrderSharedSession with ExpressionEvalHelper {

  private val nil: Any = null

  private val vectors: Seq[(Seq[Any], String)] = Seq(
    Seq() -> "",
    Seq(305419896) -> "12345678",
    Seq(0x000ff0ff, 0xfff00f00) -> "555555aaaa55aaaa",
    Seq(0x0000ff00, 0x000000ff, 0x0) -> "000000000000924924492492",
    Seq(-1, nil) -> "aaaaaaaaaaaaaaaa",
    Seq(nil, -1) -> "5555555555555555",
    Seq(214, 97) -> "000000000000b629", // Hudi RFC-28
    Seq(97, 214) -> "0000000000007916",
    Seq(3, 2, 1) -> "000000000000000000000035"
  )

  private def bytes(hex: String): Array[Byte] = hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray

  for ((ints, expected) <- vectors)
    test(s"interleave_bits(${ints.mkString(", ")}) is 0x$expected, interpreted and generated alike") {
      // ExpressionEvalHelper runs both, and the optimizer.
      checkEvaluation(InterleaveBits(ints.map(Literal.create(_, IntegerType))), bytes(expected))
      val columns = ints.indices.map(BoundReference(_, IntegerType, nullable = true))
      checkEvaluation(InterleaveBits(columns), bytes(expected), InternalRow.fromSeq(ints))
    }

  test("a NULL without a type counts as 0") {
    val void = Literal(null, NullType)
    checkEvaluation(InterleaveBits(Seq(Literal(-1), void)), bytes("aa" * 8))
    checkAnswer(
      sql("SELECT hex(interleave_bits(id_int, NULL)) FROM (SELECT int(id) - 1 AS id_int FROM range(1))"),
      Row("AA" * 8))
  }

  test("state that is reused between rows keeps nothing of the row before") {
    val rows = sql("SELECT hex(interleave_bits(a, b)) FROM VALUES (-1, -1), (NULL, 1), (0, NULL) AS t(a, b)")
    checkAnswer(rows, Seq(Row("F" * 16), Row("0" * 15 + "1"), Row("0" * 16)))
  }

  test("more arguments than one generated method holds", LongTest) {
    val columns = (0 until 300).map(i => s"int(id + $i)").mkString(", ")
    val df = sql(s"SELECT interleave_bits($columns) AS k FROM range(3)")
    assert(df.collect().map(_.getAs[Array[Byte]](0).length).toSeq === Seq(1200, 1200, 1200))
    withSQLConf("spark.sql.codegen.wholeStage" -> "false", "spark.sql.codegen.factoryMode" -> "NO_CODEGEN") {
      checkAnswer(sql(s"SELECT interleave_bits($columns) AS k FROM range(3)"), df)
    }
  }

  test("it is never null, deterministic, and folded when its arguments are constant") {
    val df = sql("SELECT interleave_bits(1, 2) AS k, interleave_bits(int(id), 2) AS l FROM range(1)")
    assert(df.schema.forall(!_.nullable))
    val folded = df.queryExecution.optimizedPlan.expressions.head.asInstanceOf[Alias].child
    assert(folded.isInstanceOf[Literal])
  }

  test("any other type is an error that names the argument") {
    for ((argument, actual) <- Seq(
        "id" -> "BIGINT",
        "smallint(id)" -> "SMALLINT",
        "tinyint(id)" -> "TINYINT",
        "string(id)" -> "STRING",
        "double(id)" -> "DOUBLE",
        "date'2024-01-01'" -> "DATE",
        "array(1)" -> "ARRAY<INT>"
      )) {
      val e = intercept[AnalysisException](sql(s"SELECT interleave_bits(1, $argument) FROM range(1)"))
      assert(e.getCondition === "ZORDER_INVALID_ARGUMENT_TYPE")
      assert(e.getSqlState === "42K09")
      val parameters = e.messageParameters
      assert(parameters("function") === "interleave_bits")
      assert(parameters("position") === "2")
      assert(parameters("actual") === actual)
      assert(parameters("expected") === "INT")
      assert(parameters("hint").startsWith(s"Cast it, as in CAST(${parameters("argument")} AS INT)"))
      assert(e.getMessage.contains("SQLSTATE: 42K09") && e.line.contains(1) && e.startPosition.exists(_ > 0))
    }
  }

  test("the error reaches the user from every place that a query can stand in") {
    def raises(f: => Any): Unit =
      assert(intercept[ZOrderAnalysisException](f).getCondition === "ZORDER_INVALID_ARGUMENT_TYPE")
    raises(spark.range(1).select(call_function("interleave_bits", col("id"))))
    raises(spark.range(1).where(hex(call_function("interleave_bits", col("id"))) === ""))
    raises(sql("SELECT * FROM range(3) WHERE id IN (SELECT length(interleave_bits(id)) FROM range(3))"))
    raises(sql("WITH c AS (SELECT interleave_bits(id) FROM range(3)) SELECT 1"))
    raises(sql("CREATE TEMPORARY VIEW broken AS SELECT interleave_bits(id) AS k FROM range(3)"))
    raises(sql("SELECT * FROM VALUES (interleave_bits(1L)) AS t(k)"))
    raises(sql("SELECT interleave_bits(1.5)"))
  }
}
