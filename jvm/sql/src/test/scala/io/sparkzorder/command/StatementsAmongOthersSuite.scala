// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import java.io.File

import io.sparkzorder.{DeltaSession, LongSuite, TestedSpark}

import org.apache.spark.{SparkConf, SparkThrowable}
import org.apache.spark.sql.{AnalysisException, QueryTest, Row}
import org.apache.spark.sql.catalyst.parser.ParseException

/** Our statements where Spark's own may stand: in scripts, with names that are computed, run by another statement. */
class StatementsAmongOthersSuite extends QueryTest with DeltaSession with LongSuite {

  // Scripts are behind it in Spark 4.0.
  override protected def sparkConf: SparkConf = super.sparkConf.set("spark.sql.scripting.enabled", "true")

  private def withTables(body: => Unit): Unit = withTempDir { dir =>
    withTable("t", "p", "done") {
      createTable("t", events(300), partitionBy = Seq("day"))
      val location = new File(dir, "p").getCanonicalPath
      sql(s"CREATE TABLE p (id BIGINT, a INT) USING parquet LOCATION '$location'")
      events(300).select("id", "a").write.insertInto("p")
      sql("CREATE TABLE done (what STRING) USING parquet")
      body
    }
  }

  private def optimized: Int = sql("DESCRIBE HISTORY t").where("operation = 'OPTIMIZE'").count().toInt

  test("every statement of ours in a script, between others, in conditions, loops and handlers")(withTables {
    sql("""
      |BEGIN
      |  DECLARE n INT DEFAULT 0;
      |  DECLARE EXIT HANDLER FOR SQLEXCEPTION
      |    BEGIN
      |      OPTIMIZE t WHERE day = '2024-01-03' ZORDER BY (a);
      |      INSERT INTO done VALUES ('handled');
      |    END;
      |  OPTIMIZE t WHERE CASE WHEN day = '2024-01-01' THEN true ELSE false END ZORDER BY (a);
      |  INSERT INTO done VALUES ('first; OPTIMIZE t ZORDER BY a; ');
      |  IF (SELECT count(*) FROM done) = 1 THEN
      |    OPTIMIZE p ZORDER BY (a, id) OPTIONS (curve = 'hilbert');
      |  ELSE
      |    DESCRIBE LAYOUT missing;
      |  END IF;
      |  WHILE n < 2 DO
      |    OPTIMIZE t WHERE day = DATE'2024-01-02' ZORDER BY (a) -- twice;
      |    ;
      |    SET n = n + 1;
      |  END WHILE;
      |  CASE n WHEN 2 THEN ANALYZE TABLE p COMPUTE FILE STATISTICS FOR ALL COLUMNS; END CASE;
      |  EXPLAIN OPTIMIZE t ZORDER BY (a);
      |  EXPLAIN SKIPPING SELECT * FROM p WHERE a = 1;
      |  SELECT raise_error('no more') FROM t;
      |END""".stripMargin).collect()
    assert(sql("SELECT count(*) FROM done").head().getLong(0) === 2 && optimized === 4)
    // As with any command of Spark's, what it returns is not what the script returns.
    for (text <- Seq("OPTIMIZE t ZORDER BY (a) DRY RUN", "DESCRIBE LAYOUT t ON (a)", "SHOW TABLES"))
      checkAnswer(sql(s"BEGIN SELECT 1; $text; END"), Row(1))
  })

  test("variables of a script in our statements")(withTables {
    sql("""
      |BEGIN
      |  DECLARE chosen DATE DEFAULT DATE'2024-01-02';
      |  DECLARE name STRING DEFAULT 't';
      |  OPTIMIZE IDENTIFIER(name) WHERE day = chosen ZORDER BY (a);
      |  DESCRIBE LAYOUT IDENTIFIER(name) ON (IDENTIFIER('a')) WHERE day = chosen;
      |END""".stripMargin).collect()
    assert(optimized === 1)
    assert(removed("t").map(_.partitionValues("day")).distinct === Seq("2024-01-02"))
  })

  test("parameters of a script in our statements and others")(withTables {
    spark.sql(
      "BEGIN INSERT INTO done VALUES (:d); OPTIMIZE IDENTIFIER(:t) WHERE day = :d ZORDER BY (a); END",
      Map("t" -> "t", "d" -> "2024-01-01")).collect()
    assert(optimized === 1 && sql("SELECT what FROM done").head().getString(0) === "2024-01-01")
    assert(removed("t").map(_.partitionValues("day")).distinct === Seq("2024-01-01"))
  })

  test("a slip in a script shows its place, whichever statement it is in") {
    for ((text, line) <- Seq(
        "BEGIN\n  SELECT 1;\n  OPTIMIZE t ZORDER BY (a,);\nEND" -> 3,
        "BEGIN\n  OPTIMIZE t WHERE x == = 1 ZORDER BY (a);\nEND" -> 2,
        "BEGIN\n  OPTIMIZE t\n ZORDER BY (a);\n  SELECT 1 +;\nEND" -> 4
      )) {
      val e = intercept[ParseException](sql(text))
      assert(e.getSqlState === "42601" && e.start.line.contains(line), s"$text: ${e.getMessage}")
      if (line < 4) assert(e.command.contains(text))
    }
    val missing = intercept[AnalysisException](sql("BEGIN SELECT 1; OPTIMIZE missing ZORDER BY (a); END").collect())
    assert(missing.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
  }

  test("names that a session variable or an expression gives, and EXECUTE IMMEDIATE")(withTables {
    sql("DECLARE OR REPLACE VARIABLE which STRING DEFAULT 'default.'")
    try {
      sql("OPTIMIZE IDENTIFIER(which || 't') ZORDER BY (IDENTIFIER('a'), id)").collect()
      assert(sql("DESCRIBE LAYOUT IDENTIFIER(which || 'p') ON (a)").collect().length === 1)
      sql("ANALYZE TABLE IDENTIFIER(which || 'p') COMPUTE FILE STATISTICS FOR COLUMNS IDENTIFIER('a')").collect()
      sql("EXECUTE IMMEDIATE 'OPTIMIZE IDENTIFIER(:t) WHERE day::date = :d ZORDER BY (a)' USING 't' AS t, '2024-01-01' AS d")
        .collect()
      assert(optimized === 2)
      val missing = intercept[SparkThrowable](sql("OPTIMIZE IDENTIFIER(which || 'none') ZORDER BY (a)"))
      assert(missing.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
    } finally sql("DROP TEMPORARY VARIABLE which")
  })

  test("a cast or a path of a VARIANT in a predicate is no parameter")(withTables {
    spark.sql("OPTIMIZE t WHERE day::string = :string ZORDER BY (a)", Map("string" -> "2024-01-02")).collect()
    assert(removed("t").map(_.partitionValues("day")).distinct === Seq("2024-01-02"))
    if (TestedSpark.isAtLeast("4.1")) spark.sql(
      """OPTIMIZE t WHERE parse_json('{"string": 1}'):string::int = 1 AND day = :d ZORDER BY (a)""",
      Map("d" -> "2024-01-01"))
  })

  test("Delta's own statements with colons and question marks in them are Delta's") {
    withTable("d") {
      sql("CREATE TABLE d USING delta PARTITIONED BY (p) AS SELECT id, 'a:b ?' AS p FROM range(10)")
      val path = sql("DESCRIBE DETAIL d").head().getAs[String]("location")
      assert(path.startsWith("file:"))
      sql(s"VACUUM delta.`$path` RETAIN 200 HOURS DRY RUN").collect()
      sql(s"OPTIMIZE delta.`$path` WHERE p = 'a:b ?'").collect()
      sql("OPTIMIZE d WHERE p = 'a:b ?' -- is it: so?").collect()
      val e = intercept[Exception](sql("RESTORE TABLE d TO TIMESTAMP AS OF '2000-01-01 00:00:00'").collect())
      assert(!e.getMessage.contains("PARSE_SYNTAX_ERROR"), e.getMessage)
    }
  }

  test("Delta's own statements with the word in them are Delta's") {
    withTable("zorder", "t") {
      for (name <- Seq("zorder", "t"))
        createTable(name, spark.range(10).selectExpr("id", "id % 2 AS zorder"), partitionBy = Seq("zorder"))
      for (text <- Seq("OPTIMIZE zorder", "OPTIMIZE t WHERE zorder = 1"))
        assert(sql(text).columns === Array("path", "metrics"), text)
      assert(removed("t").map(_.partitionValues("zorder")).distinct === Seq("1"))
      sql("OPTIMIZE t WHERE zorder = 0 ZORDER BY (id)")
      assert(removed("t").map(_.partitionValues("zorder")).distinct === Seq("0"))
    }
  }
}
