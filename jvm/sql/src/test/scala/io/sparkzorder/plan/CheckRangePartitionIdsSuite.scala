// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.ZOrderSharedSession
import io.sparkzorder.plan.StreamsOfTests.MemoryStream

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.functions.{call_function, col, lit}

class CheckRangePartitionIdsSuite extends QueryTest with ZOrderSharedSession {

  override protected def validatesPlans: Boolean = true

  override def beforeAll(): Unit = {
    super.beforeAll()
    sql("CREATE TEMPORARY VIEW t AS SELECT id, id AS x FROM range(10)")
    sql("CREATE TEMPORARY VIEW u AS SELECT id AS k, id AS y FROM range(10)")
  }

  private def check(query: => Any, condition: String, sqlState: String, parameters: (String, String)*): Unit = {
    val e = intercept[AnalysisException](query)
    assert(e.getCondition === condition)
    assert(e.getSqlState === sqlState)
    assert(e.messageParameters === parameters.toMap)
    assert(e.getMessage.startsWith(s"[$condition] ") && !e.getSimpleMessage.contains("<"))
  }

  test("a number of ranges that is not positive") {
    for ((argument, value) <-
        Seq("0" -> "0", "-3" -> "-3", "CAST(NULL AS INT)" -> "NULL", "2 - 2" -> "0", "3000000000" -> "3000000000")) {
      val e = intercept[AnalysisException](sql(s"SELECT range_partition_id(x, $argument) FROM t"))
      assert(e.getCondition === "ZORDER_NON_POSITIVE_RANGE_COUNT" && e.getSqlState === "22023")
      assert(e.messageParameters("value") === value && e.messageParameters("column").contains("x"))
      assert(e.line.contains(1) && e.startPosition.exists(_ > 0))
    }
    check(
      spark.table("t").select(call_function("range_partition_id", col("x"), lit(0))),
      "ZORDER_NON_POSITIVE_RANGE_COUNT",
      "22023",
      "argument" -> "0",
      "value" -> "0",
      "column" -> "t.x"
    )
  }

  test("a number of ranges that is not constant, or not a number") {
    check(
      sql("SELECT range_partition_id(x, int(id)) FROM t"),
      "ZORDER_NON_CONSTANT_RANGE_COUNT",
      "42K08",
      "argument" -> "CAST(t.id AS INT)",
      "column" -> "t.x")
    for (constant <- Seq("json_array_length('[1, 2]')", "nvl(NULL, 2)", "day(to_date('2024-01-02'))"))
      assert(sql(s"SELECT range_partition_id(x, $constant), hilbert_index($constant, 1, 2) FROM t").collect().nonEmpty)
    val e = intercept[AnalysisException](sql("SELECT range_partition_id(x, 'ten') FROM t"))
    assert(e.getCondition === "ZORDER_INVALID_ARGUMENT_TYPE")
    assert(e.messageParameters("position") === "2" && e.messageParameters("actual") === "STRING")
  }

  test("a type without an order") {
    for ((column, actual) <- Seq(
        "map(1, 2)" -> "MAP<INT, INT>",
        "parse_json('1')" -> "VARIANT",
        "make_interval(1)" -> "INTERVAL",
        "array(map(1, 2))" -> "ARRAY<MAP<INT, INT>>")) {
      val e = intercept[AnalysisException](sql(s"SELECT range_partition_id($column, 4) FROM t"))
      assert(e.getCondition === "ZORDER_INVALID_ARGUMENT_TYPE" && e.getSqlState === "42K09")
      assert(e.messageParameters("position") === "1" && e.messageParameters("actual") === actual)
    }
  }

  test("parameters of a statement may give the number of ranges") {
    assert(spark.sql("SELECT max(range_partition_id(x, :n)) FROM t", Map("n" -> 5)).head().getInt(0) === 4)
    assert(spark.sql("SELECT max(range_partition_id(x, ?)) FROM t", Array(5)).head().getInt(0) === 4)
    val e = intercept[AnalysisException](spark.sql("SELECT range_partition_id(x, :n) FROM t", Map("n" -> 0)))
    assert(e.getCondition === "ZORDER_NON_POSITIVE_RANGE_COUNT")
  }

  test("a stream") {
    import testImplicits._
    val stream = MemoryStream[Int].toDF()
    check(
      stream.select(call_function("range_partition_id", col("value"), lit(4))),
      "ZORDER_RANGE_INPUT.STREAMING",
      "0A000",
      "call" -> "range_partition_id(value, 4)"
    )
  }

  test("a reference to the outer query, in the argument or below the call") {
    check(
      sql("SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE range_partition_id(t.x, 4) = y)"),
      "ZORDER_RANGE_INPUT.FOREIGN_REFERENCE",
      "0A000",
      "call" -> "range_partition_id(outer(t.x), 4)",
      "reference" -> "outer(t.x)"
    )
    check(
      sql("SELECT (SELECT max(range_partition_id(y, 4)) FROM u WHERE k = t.id) FROM t"),
      "ZORDER_RANGE_INPUT.CORRELATED",
      "0A000",
      "call" -> "range_partition_id(u.y, 4)",
      "reference" -> "outer(t.id)"
    )
    check(
      sql("SELECT * FROM t, LATERAL (SELECT range_partition_id(t.x, 4))"),
      "ZORDER_RANGE_INPUT.FOREIGN_REFERENCE",
      "0A000",
      "call" -> "range_partition_id(outer(t.x), 4)",
      "reference" -> "outer(t.x)"
    )
  }

  test("a variable of a lambda function") {
    val e = intercept[AnalysisException](sql("SELECT transform(array(x), e -> range_partition_id(e, 4)) FROM t"))
    assert(e.getCondition === "ZORDER_RANGE_INPUT.FOREIGN_REFERENCE")
  }

  test("both sides of a join") {
    check(
      sql("SELECT * FROM t JOIN u ON range_partition_id(x + y, 4) = 0"),
      "ZORDER_RANGE_INPUT.SPANS_JOIN",
      "0A000",
      "call" -> "range_partition_id((t.x + u.y), 4)"
    )
  }

  test("the error reaches the user from subqueries, views and commands") {
    def raises(query: String): Unit =
      assert(intercept[AnalysisException](sql(query)).getCondition.startsWith("ZORDER_"), query)
    raises("SELECT * FROM t WHERE id IN (SELECT range_partition_id(k, 0) FROM u)")
    raises("CREATE TEMPORARY VIEW broken AS SELECT range_partition_id(x, 0) AS r FROM t")
    raises("CREATE TEMPORARY VIEW broken AS SELECT * FROM t JOIN u ON range_partition_id(x + y, 4) = 0")
    withTable("target") {
      sql("CREATE TABLE target (r INT) USING parquet")
      raises("INSERT INTO target SELECT range_partition_id(x, 0) FROM t")
      raises("INSERT INTO target SELECT 1 FROM t JOIN u ON range_partition_id(x + y, 4) = 0")
      raises("CREATE TABLE made USING parquet AS SELECT 1 AS c FROM t JOIN u ON range_partition_id(x + y, 4) = 0")
      assert(spark.table("target").isEmpty && !spark.catalog.tableExists("made"))
    }
  }
}
