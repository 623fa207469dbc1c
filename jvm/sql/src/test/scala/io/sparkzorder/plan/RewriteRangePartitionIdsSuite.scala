// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.{LongSuite, TestRing, TestedSpark, ZOrderSharedSession}
import io.sparkzorder.column.{NewerOrderableTypes, OrderableTypes}

import org.apache.spark.SparkConf
import org.apache.spark.sql.{DataFrame, Observation, QueryTest, Row}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.functions.{call_function, col, count, lit, max, min}
import org.apache.spark.sql.types.StructType

/** Every place of a query that a call can stand in, against ids counted by Spark's own `rank()`. */
class RewriteRangePartitionIdsSuite extends QueryTest with ZOrderSharedSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "it works in SELECT",
    "it works in WHERE",
    "it works in a filter around the query",
    "it works in SORT BY",
    "it works in DISTRIBUTE BY",
    "it works in VALUES",
    "it works in no FROM",
    "rows that are observed are observed once"
  )

  override protected def validatesPlans: Boolean = true

  override protected def sparkConf: SparkConf = super.sparkConf.setAll(NewerOrderableTypes.settings)

  override def beforeAll(): Unit = {
    super.beforeAll()
    // Duplicates, nulls, and an order that is not that of the ids.
    sql("""CREATE TEMPORARY VIEW t AS SELECT id, CAST(id % 3 AS INT) AS g,
          |  IF(id % 11 = 5, NULL, (id * 37 + 11) % 23) AS x, CONCAT('s', (id * 7) % 40) AS s
          |FROM range(0, 40, 1, 3)""".stripMargin)
    sql("CREATE TEMPORARY VIEW u AS SELECT CAST(id AS INT) AS k, id * 2 AS y FROM range(0, 8, 1, 2)")
  }

  /** The definition in SQL, over the rows of the FROM clause it is used with. */
  private def oracle(column: String, n: Int): String =
    s"CAST((${n}L * (rank() OVER (ORDER BY $column ASC NULLS FIRST) - 1)) DIV count(*) OVER () AS INT)"

  private def same(query: String, expected: String): Unit = {
    val (actual, naive) = (sql(query), sql(expected))
    checkAnswer(actual, naive)
    if (expected.contains("SORTED")) assert(actual.collect().toSeq === naive.collect().toSeq)
    if (TestRing.isLong) {
      val rows = naive.collect().toSeq
      withSQLConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.codegen.wholeStage" -> "false") {
        checkAnswer(sql(query), rows)
      }
      withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1")(checkAnswer(sql(query), rows))
    }
  }

  private val x4 = oracle("x", 4)

  // What is random to Spark, and always the same, keeps it from inlining what is used twice.
  private val random0 = "IF(rand() < 2, 0, 1)"
  private val ownWith = s"WITH c AS (SELECT id, x + $random0 AS x FROM t) SELECT c.id, d.x FROM c JOIN c d USING (id)"

  private val ownRecursion =
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 20) SELECT a.n FROM r a JOIN r b USING (n)"

  private val positions: Seq[(String, String, String)] = Seq(
    ("SELECT", "SELECT id, range_partition_id(x, 4) FROM t", s"SELECT id, $x4 FROM t"),
    (
      "SELECT after WHERE",
      "SELECT id, range_partition_id(x, 4) FROM t WHERE id % 2 = 0",
      s"SELECT id, $x4 FROM (SELECT * FROM t WHERE id % 2 = 0)"),
    (
      "WHERE",
      "SELECT id FROM t WHERE range_partition_id(x, 4) = 2 AND id > 10",
      s"SELECT id FROM (SELECT id, $x4 AS r FROM t) WHERE r = 2 AND id > 10"),
    (
      "WHERE and SELECT, each with its own input",
      "SELECT id, range_partition_id(x, 4) FROM t WHERE range_partition_id(x, 4) > 0",
      s"SELECT id, $x4 FROM (SELECT id, x FROM (SELECT *, $x4 AS r FROM t) WHERE r > 0)"),
    (
      "a filter around the query",
      "SELECT * FROM (SELECT id, range_partition_id(x, 4) AS r FROM t) WHERE id > 20 AND r = 1",
      s"SELECT * FROM (SELECT id, $x4 AS r FROM t) WHERE id > 20 AND r = 1"),
    (
      "ORDER BY",
      "SELECT id FROM t ORDER BY range_partition_id(x, 4), id",
      s"SELECT id FROM (SELECT id, $x4 AS r FROM t) AS SORTED ORDER BY r, id"),
    (
      "SORT BY",
      "SELECT /*+ COALESCE(1) */ id FROM t SORT BY range_partition_id(x, 4), id",
      s"SELECT id FROM (SELECT id, $x4 AS r FROM t) AS SORTED ORDER BY r, id"),
    (
      "DISTRIBUTE BY",
      "SELECT id FROM t DISTRIBUTE BY range_partition_id(x, 4)",
      "SELECT id FROM t"),
    (
      "GROUP BY, with the same call in the SELECT list and in ORDER BY",
      "SELECT range_partition_id(x, 4) + 1, count(*) FROM t GROUP BY range_partition_id(x, 4) " +
        "ORDER BY range_partition_id(x, 4)",
      s"SELECT r + 1, count(*) FROM (SELECT $x4 AS r FROM t) GROUP BY r"),
    (
      "GROUP BY an alias",
      "SELECT range_partition_id(x, 4) AS r, g, sum(id) FROM t GROUP BY r, g",
      s"SELECT r, g, sum(id) FROM (SELECT g, id, $x4 AS r FROM t) GROUP BY r, g"),
    (
      "GROUP BY ROLLUP",
      "SELECT range_partition_id(x, 4), sum(id) FROM t GROUP BY ROLLUP (range_partition_id(x, 4))",
      s"SELECT r, sum(id) FROM (SELECT id, $x4 AS r FROM t) GROUP BY ROLLUP (r)"),
    (
      "HAVING over groups",
      "SELECT g FROM t GROUP BY g HAVING range_partition_id(sum(id), 3) = 2",
      s"SELECT g FROM (SELECT g, ${oracle("y", 3)} AS r FROM (SELECT g, sum(id) AS y FROM t GROUP BY g)) WHERE r = 2"),
    (
      "HAVING the call that groups",
      "SELECT count(*) FROM t GROUP BY range_partition_id(x, 4) HAVING range_partition_id(x, 4) > 1",
      s"SELECT count(*) FROM (SELECT $x4 AS r FROM t) GROUP BY r HAVING r > 1"),
    (
      "over an aggregate function, beside one over a group's column",
      "SELECT g + 1, range_partition_id(sum(id), 3) + g, range_partition_id(g, 2), max(x) FROM t GROUP BY g",
      s"""SELECT g + 1, ${oracle("y", 3)} + g, r, m FROM
         |  (SELECT g, r, sum(id) AS y, max(x) AS m FROM (SELECT *, ${oracle("g", 2)} AS r FROM t) GROUP BY g, r)
         |""".stripMargin),
    (
      "inside an aggregate function and its filter",
      "SELECT sum(range_partition_id(x, 4)), count(*) FILTER (WHERE range_partition_id(id, 5) = 3) FROM t",
      s"SELECT sum(r), count(*) FILTER (WHERE q = 3) FROM (SELECT $x4 AS r, ${oracle("id", 5)} AS q FROM t)"),
    (
      "DISTINCT",
      "SELECT DISTINCT range_partition_id(x, 4) FROM t",
      s"SELECT DISTINCT r FROM (SELECT $x4 AS r FROM t)"),
    (
      "count(DISTINCT)",
      "SELECT count(DISTINCT range_partition_id(x, 4)), count(DISTINCT g) FROM t",
      s"SELECT count(DISTINCT r), count(DISTINCT g) FROM (SELECT g, $x4 AS r FROM t)"),
    (
      "ORDER BY over DISTINCT rows",
      "SELECT DISTINCT g FROM t ORDER BY range_partition_id(g, 3) DESC",
      "SELECT DISTINCT g FROM t AS SORTED ORDER BY g DESC"),
    (
      "a join condition, one side",
      "SELECT /*+ BROADCAST(t) */ id, k FROM t JOIN u ON range_partition_id(x, 4) = k",
      s"SELECT id, k FROM (SELECT id, $x4 AS r FROM t) JOIN u ON r = k"),
    (
      "a join condition, a call on each side",
      "SELECT id, k FROM t LEFT JOIN u ON range_partition_id(x, 4) = range_partition_id(y, 4) AND id < 20",
      s"SELECT id, k FROM (SELECT id, $x4 AS r FROM t) LEFT JOIN (SELECT k, ${oracle("y", 4)} AS q FROM u) " +
        "ON r = q AND id < 20"),
    (
      "a self join",
      "SELECT a.id, b.id FROM t a JOIN t b ON range_partition_id(a.x, 20) = range_partition_id(b.id, 20)",
      s"SELECT a.id, b.id FROM (SELECT id, ${oracle("x", 20)} AS r FROM t) a " +
        s"JOIN (SELECT id, ${oracle("id", 20)} AS q FROM t) b ON r = q"),
    (
      "above a join",
      "SELECT id, range_partition_id(id + y, 4) FROM t JOIN u ON g = k",
      s"SELECT id, ${oracle("z", 4)} FROM (SELECT id, id + y AS z FROM t JOIN u ON g = k)"),
    (
      "an IN subquery",
      "SELECT k FROM u WHERE k IN (SELECT range_partition_id(x, 4) FROM t WHERE id < 5)",
      s"SELECT k FROM u WHERE k IN (SELECT $x4 FROM (SELECT * FROM t WHERE id < 5))"),
    (
      "a correlated EXISTS subquery whose call has its own input",
      "SELECT k FROM u WHERE EXISTS (SELECT 1 FROM t WHERE g = k AND range_partition_id(x, 4) = 3 AND id < 20)",
      s"SELECT k FROM u WHERE k IN (SELECT g FROM (SELECT g, id, $x4 AS r FROM t) WHERE r = 3 AND id < 20)"),
    (
      "a scalar subquery, and one as its argument",
      "SELECT (SELECT max(range_partition_id(x, 4)) FROM t), range_partition_id(y - (SELECT max(id) FROM t), 3) FROM u",
      s"SELECT (SELECT max(r) FROM (SELECT $x4 AS r FROM t)), ${oracle("y", 3)} FROM u"),
    (
      "a correlated scalar subquery as its argument",
      "SELECT k, range_partition_id((SELECT max(id) FROM t WHERE g = k), 3) FROM u",
      s"SELECT k, ${oracle("m", 3)} FROM (SELECT k, m FROM u LEFT JOIN (SELECT g, max(id) AS m FROM t GROUP BY g) ON g = k)"),
    (
      "a filter that becomes a join condition",
      "SELECT t.id, u.k FROM t, u WHERE range_partition_id(t.x, 4) = range_partition_id(u.y, 4)",
      s"SELECT id, k FROM (SELECT id, k, ${oracle("x", 4)} AS r, ${oracle("y", 4)} AS q FROM t CROSS JOIN u) WHERE r = q"),
    (
      "a correlated predicate of EXISTS",
      "SELECT k FROM u WHERE EXISTS (SELECT 1 FROM t WHERE range_partition_id(x, 4) = k AND id > 4)",
      s"SELECT k FROM u WHERE k IN (SELECT r FROM (SELECT id, $x4 AS r FROM t) WHERE id > 4)"),
    (
      "a correlated predicate of NOT EXISTS",
      "SELECT k FROM u WHERE NOT EXISTS (SELECT 1 FROM t WHERE range_partition_id(x, 4) = k)",
      "SELECT k FROM u WHERE k > 3"),
    (
      "a correlated predicate of a scalar subquery",
      "SELECT k, (SELECT max(id) FROM t WHERE range_partition_id(x, 4) = k) FROM u",
      s"SELECT k, m FROM u LEFT JOIN (SELECT r, max(id) AS m FROM (SELECT id, $x4 AS r FROM t) GROUP BY r) ON k = r"),
    (
      "the left side of IN",
      "SELECT id FROM t WHERE range_partition_id(x, 4) IN (SELECT range_partition_id(y, 2) FROM u)",
      s"SELECT id FROM (SELECT id, $x4 AS r FROM t) WHERE r IN (0, 1)"),
    (
      "a join of two queries with ids",
      "SELECT a.id, b.k FROM (SELECT id, range_partition_id(x, 4) AS r FROM t) a " +
        "FULL JOIN (SELECT k, range_partition_id(y, 5) AS q FROM u) b ON r = q",
      s"SELECT a.id, b.k FROM (SELECT id, $x4 AS r FROM t) a " +
        s"FULL JOIN (SELECT k, ${oracle("y", 5)} AS q FROM u) b ON r = q"),
    (
      "a semi join and an anti join",
      "SELECT id FROM t LEFT SEMI JOIN u ON range_partition_id(x, 4) = range_partition_id(y, 2) " +
        "UNION ALL SELECT -id FROM t LEFT ANTI JOIN u ON range_partition_id(x, 4) = range_partition_id(y, 2)",
      s"SELECT IF(r < 2, id, -id) FROM (SELECT id, $x4 AS r FROM t)"),
    (
      "a common table expression that is used twice",
      "WITH c AS (SELECT id, range_partition_id(x, 4) AS r FROM t WHERE id > 3) " +
        "SELECT a.id, b.id, range_partition_id(a.id, 2) FROM c a JOIN c b ON a.r = b.r",
      s"WITH c AS (SELECT id, $x4 AS r FROM (SELECT * FROM t WHERE id > 3)) " +
        s"SELECT a, b, ${oracle("a", 2)} FROM (SELECT a.id AS a, b.id AS b FROM c a JOIN c b ON a.r = b.r)"),
    (
      "a derived table with a WITH that Spark does not inline",
      s"SELECT id, range_partition_id(x, 4) FROM ($ownWith)",
      s"SELECT id, $x4 FROM ($ownWith)"),
    (
      "two derived tables with a WITH, one in the other, and a filter over both",
      s"SELECT id FROM (WITH d AS (SELECT *, id % 5 + $random0 AS y FROM ($ownWith)) SELECT d.id, d.x, e.y FROM d JOIN d e " +
        "USING (id)) WHERE range_partition_id(x, 4) = 2 AND range_partition_id(y, 2) = 0",
      s"SELECT id FROM (SELECT id, $x4 AS p, ${oracle("y", 2)} AS q FROM (WITH d AS (SELECT *, id % 5 + $random0 AS y " +
        s"FROM ($ownWith)) SELECT d.id, d.x, e.y FROM d JOIN d e USING (id))) WHERE p = 2 AND q = 0"),
    (
      "a WITH in a subquery of the input",
      s"SELECT id, range_partition_id(x, 4) FROM t WHERE id IN (SELECT id FROM ($ownWith) WHERE x < 12)",
      s"SELECT id, $x4 FROM (SELECT * FROM t WHERE id IN (SELECT id FROM ($ownWith) WHERE x < 12))"),
    (
      "the columns of a WITH around the query that Spark does not inline",
      s"WITH c AS (SELECT id, x + $random0 AS x FROM t) SELECT c.id, range_partition_id(d.x, 4) FROM c JOIN c d USING (id)",
      s"WITH c AS (SELECT id, x + $random0 AS x FROM t) SELECT id, $x4 FROM (SELECT c.id, d.x FROM c JOIN c d USING (id))"),
    (
      "a recursive WITH",
      s"SELECT n, range_partition_id(n, 3) FROM ($ownRecursion)",
      s"SELECT n, ${oracle("n", 3)} FROM ($ownRecursion)"),
    (
      "UNION",
      "SELECT range_partition_id(x, 4) FROM t UNION ALL SELECT range_partition_id(y, 4) FROM u",
      s"SELECT $x4 FROM t UNION ALL SELECT ${oracle("y", 4)} FROM u"),
    (
      "a window's PARTITION BY and argument",
      "SELECT id, sum(range_partition_id(id, 5)) OVER (PARTITION BY range_partition_id(x, 4)) FROM t",
      s"SELECT id, sum(q) OVER (PARTITION BY r) FROM (SELECT id, ${oracle("id", 5)} AS q, $x4 AS r FROM t)"),
    (
      "over a window function",
      "SELECT id, range_partition_id(row_number() OVER (ORDER BY id DESC), 4) FROM t",
      s"SELECT id, ${oracle("id DESC, id", 4)} FROM t"),
    (
      "nested calls",
      "SELECT id, range_partition_id(range_partition_id(x, 100) % 7, 4) FROM t",
      s"SELECT id, ${oracle("r", 4)} FROM (SELECT id, ${oracle("x", 100)} % 7 AS r FROM t)"),
    (
      "LATERAL VIEW",
      "SELECT id, e FROM t LATERAL VIEW explode(sequence(0, range_partition_id(x, 4))) AS e",
      s"SELECT id, e FROM (SELECT id, $x4 AS r FROM t) LATERAL VIEW explode(sequence(0, r)) AS e"),
    (
      "a lateral subquery with its own input",
      "SELECT k, r FROM u, LATERAL (SELECT range_partition_id(x, 4) AS r FROM t WHERE id < 3)",
      s"SELECT k, r FROM u CROSS JOIN (SELECT $x4 AS r FROM (SELECT * FROM t WHERE id < 3))"),
    (
      "a lambda function inside its argument",
      "SELECT id, range_partition_id(aggregate(array(id, x), 0L, (a, e) -> a + e), 4) FROM t",
      s"SELECT id, ${oracle("id + x", 4)} FROM t"),
    (
      "LIMIT below",
      "SELECT id, range_partition_id(id, 4) FROM (SELECT id FROM t ORDER BY id LIMIT 8)",
      "SELECT id, CAST(id DIV 2 AS INT) FROM range(8)"),
    ("VALUES", "SELECT range_partition_id(c, 2) FROM VALUES ('a'), ('b'), ('c'), ('d') AS v(c)", "VALUES 0, 0, 1, 1"),
    ("no FROM", "SELECT range_partition_id(42, 1000)", "SELECT 0"),
    (
      "NULL",
      "SELECT range_partition_id(NULL, 3), range_partition_id(x, coalesce(NULL, 2 + 2)) FROM t",
      s"SELECT 0, $x4 FROM t")
  )

  for ((position, query, expected) <- positions)
    test(s"it works in $position") {
      assume(
        TestedSpark.isAtLeast("4.1") || !query.contains("RECURSIVE"),
        "Recursive queries are read and do not run there")
      same(query, expected)
    }

  test("the shared vectors") {
    same(
      "SELECT id, range_partition_id(id, 20) FROM (SELECT (id * 7 + 3) % 20 AS id FROM range(20))",
      "SELECT id, int(id) FROM range(20)")
    same(
      "SELECT id, range_partition_id(id, 4) FROM (SELECT (id * 7 + 3) % 20 AS id FROM range(20))",
      "SELECT id, int(id DIV 5) FROM range(20)")
    checkAnswer(sql("SELECT range_partition_id(c, 1000) FROM VALUES (42) AS v(c)"), Row(0))
  }

  for (dataType <- OrderableTypes.all)
    test(s"${dataType.sql} in a query") {
      val values = OrderableTypes.values(dataType, 100, seed = 6)
      val rows = spark.createDataFrame(
        spark.sparkContext.parallelize(values.zipWithIndex.map { case (v, i) => Row(i, v) }, 3),
        new StructType().add("i", "int").add("v", dataType))
      rows.createOrReplaceTempView("typed")
      for (n <- Seq(3, 1000))
        same(s"SELECT i, range_partition_id(v, $n) FROM typed", s"SELECT i, ${oracle("v", n)} FROM typed")
    }

  test("empty input, only nulls, more ranges than rows") {
    same("SELECT range_partition_id(x, 4) FROM t WHERE id < 0", "SELECT 1 WHERE false")
    same("SELECT range_partition_id(x, 4) FROM t WHERE x IS NULL", "SELECT 0 FROM t WHERE x IS NULL")
    same(s"SELECT id, range_partition_id(x, ${Int.MaxValue}) FROM t", s"SELECT id, ${oracle("x", Int.MaxValue)} FROM t")
  }

  test("many rows: every range holds its share, ids stay within 0 and n - 1 and follow the values") {
    val df = sql(
      "SELECT range_partition_id(v, 50) AS r, v FROM (SELECT (id * 7919) % 1000003 AS v FROM range(0, 500000, 1, 8))")
    val ranges =
      df.groupBy("r").agg(count("*"), min("v"), max("v"))
        .orderBy("r").collect()
    assert(ranges.map(_.getInt(0)).toSeq === (0 until 50))
    ranges.foreach(r => assert(math.abs(r.getLong(1) - 10000) < 500000 * 0.003))
    ranges.zip(ranges.tail).foreach { case (a, b) => assert(a.getLong(3) < b.getLong(2)) }
  }

  private def call(column: String, n: Int) = call_function("range_partition_id", col(column), lit(n))

  test("the DataFrame API: columns, repartition, sorting, filters after the fact") {
    val t = spark.table("t")
    val expected = sql(s"SELECT id, $x4 AS r FROM t")
    checkAnswer(t.select(col("id"), call("x", 4)), expected)
    checkAnswer(t.withColumn("r", call("x", 4)).where("id > 7").select("id", "r"), expected.where("id > 7"))
    checkAnswer(t.where(call("x", 4) === 1).select("id"), expected.where("r = 1").select("id"))
    val repartitioned = t.withColumn("r", call("x", 4)).repartition(5, call("x", 4))
    checkAnswer(repartitioned.select("id", "r"), expected)
    val partitions = repartitioned.selectExpr("spark_partition_id() AS p", "r").distinct().collect()
    assert(partitions.map(_.getInt(1)).distinct.length === partitions.length, "a range lies in one partition")
    checkAnswer(t.repartitionByRange(3, call("x", 4)).select("id", "x"), t.select("id", "x"))
    assert(t.repartition(3, call("x", 4)).sortWithinPartitions(call("x", 4)).select("id").collect().toSet ===
      t.select("id").collect().toSet)
    assert(t.sort(call("x", 4), col("id")).collect().map(_.getLong(0)).toSeq ===
      expected.sort("r", "id").collect().map(_.getLong(0)).toSeq)
  }

  test("cached data is used by query and boundaries, and a cached result is found again") {
    val base = spark.range(100).selectExpr("id", "rand() AS x").cache()
    val ids = base.select(col("id"), call("x", 10))
    // Only if both read the same random numbers can every range have its exact share.
    assert(ids.groupBy(ids.columns(1)).count().collect().map(_.getLong(1)).toSeq === Seq.fill(10)(10L))
    val cached = ids.cache()
    checkAnswer(base.select(col("id"), call("x", 10)), cached)
    val again = base.select(col("id"), call("x", 10)).queryExecution.withCachedData
    assert(again.isInstanceOf[InMemoryRelation])
    cached.unpersist(blocking = true)
    base.unpersist(blocking = true)
  }

  test("tables that are written: CTAS, INSERT, save, and temporary views over them") {
    withTable("made", "filled") {
      val expected = sql(s"SELECT id, $x4 AS r FROM t")
      sql("CREATE TABLE made USING parquet AS SELECT id, range_partition_id(x, 4) AS r FROM t")
      checkAnswer(spark.table("made"), expected)
      sql("CREATE TABLE filled (id BIGINT, r INT) USING parquet")
      sql("INSERT INTO filled SELECT id, range_partition_id(x, 4) FROM t")
      sql("INSERT OVERWRITE filled SELECT id, range_partition_id(x, 4) FROM t")
      checkAnswer(spark.table("filled"), expected)
      withTempPath { path =>
        spark.table("t").select(col("id"), call("x", 4).as("r")).write.partitionBy("r").parquet(path.toString)
        checkAnswer(spark.read.parquet(path.toString).select("id", "r"), expected)
        same(
          s"SELECT id, range_partition_id(r, 2) FROM parquet.`$path` WHERE r > 0 AND range_partition_id(r, 2) = 1",
          s"SELECT id, q FROM (SELECT id, ${oracle("r", 2)} AS q FROM (SELECT * FROM " +
            s"(SELECT *, ${oracle("r", 2)} AS p FROM parquet.`$path`) WHERE r > 0 AND p = 1))"
        )
      }
      withTempView("seen")(requireInView("TEMP VIEW"))
    }
  }

  /** The function in a view over the table "made", below a filter. */
  private def requireInView(kind: String): Unit = {
    sql(s"CREATE $kind seen AS SELECT id, range_partition_id(r, 2) AS q FROM made")
    same(
      "SELECT id, q FROM seen WHERE id > 4",
      s"SELECT * FROM (SELECT id, ${oracle("r", 2)} AS q FROM made) WHERE id > 4")
  }

  test("a kept view") {
    assume(TestedSpark.isAtLeast("4.2"), "Functions of extensions are temporary there, and no kept view calls such")
    withTable("made") {
      sql("CREATE TABLE made USING parquet AS SELECT id, range_partition_id(x, 4) AS r FROM t")
      withView("seen")(requireInView("VIEW"))
    }
  }

  test("a non-deterministic argument stays within the ranges") {
    val df: DataFrame = sql("SELECT range_partition_id(rand(), 5) AS r FROM range(0, 1000, 1, 3) WHERE rand() < 0.9")
    assert(df.collect().map(_.getInt(0)).forall(r => r >= 0 && r < 5))
    assert(df.distinct().count() === 5)
    assert(sql("SELECT count(*) FROM range(100) GROUP BY range_partition_id(rand(3), 4)").count() === 4)
    assert(sql("SELECT id FROM range(100) ORDER BY range_partition_id(rand(3), 4)").count() === 100)
  }

  test("rows that are observed are observed once") {
    val observation = Observation("rows")
    val df = spark.range(10).observe(observation, count(lit(1)).as("n")).select(call("id", 2))
    assert(df.collect().map(_.getInt(0)).toSeq.sorted === Seq.fill(5)(0) ++ Seq.fill(5)(1))
    assert(observation.get("n") === 10)
  }
}
