// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}

/** SQL parameters go on working with this extension in the session. */
trait SqlParameters { self: QueryTest with ZOrderSharedSession =>

  test("named and positional parameters") {
    checkAnswer(spark.sql("SELECT :x, :y", Map("x" -> 1, "y" -> "it's")), Row(1, "it's"))
    checkAnswer(spark.sql("SELECT ?, ? + 1", Array(1, 2)), Row(1, 3))
    checkAnswer(spark.sql("SELECT * FROM range(10) WHERE id IN (:a, :b)", Map("a" -> 3, "b" -> 5)), Seq(Row(3), Row(5)))
    checkAnswer(spark.sql("SELECT :x", Map("x" -> null)), Row(null))
    checkAnswer(spark.sql("EXECUTE IMMEDIATE 'SELECT :x + 1' USING 1 AS x"), Row(2))
  }

  test("statements without parameters, and markers that are none") {
    checkAnswer(spark.sql("SELECT ':x', '?', \"--\" -- :x ?"), Row(":x", "?", "--"))
    checkAnswer(spark.sql("SELECT ':x'", Map("x" -> 1)), Row(":x"))
    checkAnswer(spark.sql("SELECT 1", Map.empty[String, Any]), Row(1))
  }

  test("a parameter without a value") {
    val e = intercept[AnalysisException](spark.sql("SELECT :x", Map("y" -> 1)).collect())
    assert(e.getCondition === "UNBOUND_SQL_PARAMETER" && e.getMessageParameters.get("name") === "x")
  }

  test("variables of the session") {
    withSQLConf("some.value" -> "42")(checkAnswer(spark.sql("SELECT ${some.value}"), Row(42)))
    withSQLConf("some.value" -> "42")(checkAnswer(spark.sql("SELECT ${some.value} + :x", Map("x" -> 1)), Row(43)))
  }

  test("a script") {
    withSQLConf("spark.sql.scripting.enabled" -> "true") {
      checkAnswer(spark.sql("BEGIN DECLARE x INT DEFAULT 1; SELECT x + 1; END"), Row(2))
    }
  }
}

/** The extension alone. */
class ZOrderSparkSessionExtensionSuite extends QueryTest with ZOrderSharedSession with SqlParameters

/** With Delta's, ours the outer one. As the inner one it is Delta that loses the parameters (delta#7640). */
class ZOrderWithDeltaExtensionSuite extends QueryTest with DeltaSession with SqlParameters with LongSuite {

  test("parameters in our statements") {
    withTable("t") {
      createTable("t", events(1000), partitionBy = Seq("day"))
      def days = added("t").map(_.partitionValues("day")).distinct.sorted
      keepingRows("t")(spark.sql("OPTIMIZE t WHERE day = :d ZORDER BY (a)", Map("d" -> "2024-01-02")))
      assert(days === Seq("2024-01-02"))
      keepingRows("t")(spark.sql("OPTIMIZE t WHERE day IN (?, ?) ZORDER BY (a)", Array("2024-01-01", "2024-01-03")))
      assert(days === Seq("2024-01-01", "2024-01-03"))
      keepingRows("t")(
        spark.sql("OPTIMIZE t WHERE day = :d ZORDER BY (a)", Map("d" -> java.sql.Date.valueOf("2024-01-03"))))
      assert(days === Seq("2024-01-03"))
      val described = spark.sql("DESCRIBE LAYOUT t ON (a) WHERE day = :d", Map("d" -> "2024-01-02")).head()
      assert(described.getAs[Long]("files") === filesOf("t").count(_.partitionValues("day") == "2024-01-02"))
      val found = spark.sql(
        "SELECT * FROM describe_layout(table => :t, columns => array('a'), where => :p)",
        Map("t" -> "t", "p" -> "day = '2024-01-02'")).head()
      assert(found.getAs[Long]("rows") === spark.table("t").where("day = '2024-01-02'").count())
    }
  }

  test("parameters in Delta's statements") {
    withTable("t") {
      createTable("t", events(100))
      spark.sql("DELETE FROM t WHERE id < :n", Map("n" -> 50))
      assert(spark.table("t").count() === 50)
      assert(spark.sql("SELECT * FROM t VERSION AS OF 0").count() === 100)
    }
  }
}
