// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.{DeltaSession, LongTest, TestedSpark}

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}
import org.apache.spark.sql.catalyst.parser.ParseException

/** `describe_layout`, `layout_files` and `explain_skipping` in queries. */
class SqlTableFunctionsSuite extends QueryTest with DeltaSession {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    createTable("t", events(600), files = 2, partitionBy = Seq("day"))
    events(400).coalesce(2).write.format("parquet").saveAsTable("p")
  }

  override protected def afterAll(): Unit =
    try Seq("t", "p").foreach(name => sql(s"DROP TABLE IF EXISTS $name"))
    finally super.afterAll()

  test("results are filtered, joined and aggregated", LongTest) {
    checkAnswer(
      sql("SELECT column, files FROM describe_layout(table => 't', columns => array('a', 'b')) WHERE column = 'b'"),
      Row("b", 6L))
    checkAnswer(
      sql("""
        |SELECT d.column, count(DISTINCT f.file), sum(f.rows), max(d.rows)
        |FROM describe_layout('t') d JOIN layout_files('t', array('id', 'a')) f ON d.column = f.column
        |GROUP BY d.column ORDER BY 1""".stripMargin),
      Seq(Row("a", 6L, 600L, 600L), Row("id", 6L, 600L, 600L))
    )
    checkAnswer(
      sql("SELECT x.file = y.file FROM layout_files('p', array('a')) x CROSS JOIN layout_files('p', array('a')) y"),
      Seq(Row(true), Row(true), Row(false), Row(false))
    )
    checkAnswer(
      sql("SELECT files_read FROM explain_skipping(query => 'SELECT a FROM t WHERE day = \"2024-01-01\"')"),
      Row(2L))
    assert(sql("SELECT 1 WHERE 3 < (SELECT max(files) FROM describe_layout('t'))").count() === 1)
    checkAnswer(
      sql("WITH l AS (SELECT column FROM describe_layout('p')) SELECT count(*) FROM l a JOIN l b USING (column)"),
      Row(5L))
  }

  test("they tell what the statements tell", LongTest) {
    checkAnswer(sql("SELECT * FROM layout_files('t')"), sql("DESCRIBE LAYOUT EXTENDED t").collect().toSeq)
    checkAnswer(
      sql("SELECT * FROM layout_files('t', array('A'), \"DAY = '2024-01-02'\")"),
      sql("DESCRIBE LAYOUT EXTENDED t ON (a) WHERE day = '2024-01-02'").collect().toSeq
    )
    val query = "SELECT a FROM t WHERE id > 5"
    checkAnswer(sql(s"SELECT * FROM explain_skipping('$query')"), sql(s"EXPLAIN SKIPPING $query").collect().toSeq)
    val exact = sql("SELECT column, files, point_read_share FROM describe_layout('t', array('a', 'id'))").collect()
    val forPeople = sql("DESCRIBE LAYOUT t ON (a, id)").select("column", "files", "point_read_share").collect()
    exact.zip(forPeople).foreach { case (e, p) =>
      assert(e.getString(0) === p.getString(0) && e.getLong(1) === p.getLong(1))
      assert(math.abs(e.getDouble(2) - p.getDouble(2)) <= 0.00005)
    }
  }

  test("nothing runs before the query does", LongTest) {
    val jobs = jobsOf {
      val data = sql("SELECT column FROM describe_layout('t') WHERE files > 1")
      assert(data.columns === Array("column"))
      data.queryExecution.executedPlan
    }
    assert(jobs === Nil)
    // Rows that a query finds are those of the table as it then is.
    withTable("grown") {
      createTable("grown", events(10), files = 1)
      val data = sql("SELECT files FROM describe_layout('grown', array('a'))")
      events(10).coalesce(1).writeTo("grown").append()
      checkAnswer(data, Row(2L))
    }
  }

  private def inAnotherDatabase(body: => Unit): Unit = withDatabase("elsewhere") {
    sql("CREATE DATABASE elsewhere")
    sql("USE elsewhere")
    try body
    finally sql("USE default")
  }

  test("temporary views over them, and from another database", LongTest) {
    withTempView("v", "w") {
      sql("CREATE TEMP VIEW v AS SELECT column, files FROM describe_layout('t', array('a'))")
      sql("CREATE TEMP VIEW w AS SELECT table, files_total FROM explain_skipping('SELECT a FROM t')")
      checkAnswer(sql("SELECT * FROM v"), Row("a", 6L))
      inAnotherDatabase {
        checkAnswer(sql("SELECT * FROM v"), Row("a", 6L))
        checkAnswer(sql("SELECT * FROM w"), Row("t", 6L))
        assert(sql("SELECT * FROM describe_layout('default.t')").count() === 4)
        val missing = intercept[AnalysisException](sql("SELECT * FROM describe_layout('t')"))
        assert(missing.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
      }
      sql("CACHE TABLE kept AS SELECT * FROM describe_layout('t')")
      try assert(spark.table("kept").count() === 4 && spark.table("kept").where("files = 6").count() === 4)
      finally sql("DROP VIEW kept")
    }
  }

  test("kept views over them, and from another database") {
    assume(TestedSpark.isAtLeast("4.2"), "Functions of extensions are temporary there, and no kept view calls such")
    withView("w", "s") {
      sql("CREATE VIEW w AS SELECT column, files FROM describe_layout('t', array('a'))")
      sql("CREATE VIEW s AS SELECT table, files_total FROM explain_skipping('SELECT a FROM t')")
      inAnotherDatabase {
        checkAnswer(sql("SELECT * FROM default.w"), Row("a", 6L))
        checkAnswer(sql("SELECT * FROM default.s"), Row("t", 6L))
      }
    }
  }

  test("names of tables as in statements, and folders with or without quotes", LongTest) {
    val delta = log("t").dataPath.toUri.getPath
    val parquet = new java.net.URI(spark.table("p").inputFiles.head).getPath.split('/').dropRight(1).mkString("/")
    val names = Seq("t", "`t`", "DEFAULT.t", "spark_catalog.default.t", s"delta.`$delta`", s"'$delta'", delta)
    for (name <- names :+ s"parquet.`$parquet`" :+ parquet)
      assert(layout(name, "a").head().getAs[Long]("files") === (if (name.contains(parquet)) 2L else 6L), name)
    val where = Map("t" -> "t", "c" -> "a", "all" -> true)
    val found = spark.sql("SELECT * FROM describe_layout(:t, array(:c), all_rows => :all)", where).head()
    assert(found.getAs[String]("column") === "a" && found.getAs[Double]("standard_error") === 0.0)
    sql("DECLARE OR REPLACE VARIABLE which STRING DEFAULT 'p'")
    try assert(sql("SELECT * FROM layout_files(which, array(upper('a')))").count() === 2)
    finally sql("DROP TEMPORARY VARIABLE which")
  }

  private def refused(query: String, condition: String, sqlState: String, parameters: (String, String)*): Unit = {
    val e = intercept[AnalysisException](sql(query))
    assert(e.getCondition === condition && e.getSqlState === sqlState, query)
    parameters.foreach { case (name, value) =>
      assert(e.getMessageParameters.get(name) === value, s"$query: ${e.getMessage}")
    }
  }

  test("arguments that there are not, twice, without a name, of other types, not constant") {
    val all = "arguments" -> "table, columns, where, all_rows"
    def of(arguments: String) = s"SELECT * FROM describe_layout($arguments)"
    val condition = "ZORDER_FUNCTION_ARGUMENT"
    refused(of("tabel => 't'"), s"$condition.UNKNOWN", "42K09", "argument" -> "tabel", all)
    refused(of("columns => array('a')"), s"$condition.MISSING", "42K09", "argument" -> "table", all)
    refused(of("table => NULL"), s"$condition.MISSING", "42K09", "argument" -> "table")
    refused(of(""), s"$condition.MISSING", "42K09", "function" -> "describe_layout")
    refused(of("'t', table => 't'"), s"$condition.TWICE", "42K09", "argument" -> "table")
    refused(of("table => 't', array('a')"), s"$condition.AFTER_NAMED", "42K09", "value" -> "array('a')")
    refused(of("'t', array(), NULL, false, 1"), s"$condition.TOO_MANY", "42K09", "count" -> "5")
    refused(of("concat('t', rand())"), s"$condition.NOT_CONSTANT", "42K09", "argument" -> "table")
    refused(of("current_database()"), s"$condition.NOT_CONSTANT", "42K09", "argument" -> "table")
    refused(
      "SELECT * FROM VALUES ('t') AS n(name), LATERAL describe_layout(n.name)",
      s"$condition.NOT_CONSTANT",
      "42K09",
      "argument" -> "table")
    for ((arguments, position) <- Seq(
        "1" -> 1,
        "'t', 'a'" -> 2,
        "'t', array(1)" -> 2,
        "'t', where => true" -> 3,
        "'t', all_rows => 'x'" -> 4,
        "'t', array('a', NULL)" -> 2))
      refused(of(arguments), "ZORDER_INVALID_ARGUMENT_TYPE", "42K09", "position" -> position.toString)
  }

  test("tables, columns, predicates and queries that cannot be", LongTest) {
    refused("SELECT * FROM describe_layout('nowhere')", "TABLE_OR_VIEW_NOT_FOUND", "42P01")
    refused("SELECT * FROM layout_files('t', array('aa'))", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")
    refused("SELECT * FROM layout_files('t', array('day'))", "ZORDER_PARTITION_COLUMN", "42P10")
    refused(
      "SELECT * FROM layout_files('t', where => 'a = 1')",
      "ZORDER_PREDICATE_ON_DATA_COLUMN",
      "42P10",
      "statement" -> "layout_files")
    refused("SELECT * FROM describe_layout('/no/such/folder')", "ZORDER_PATH_NOT_FOUND", "42K03")
    withTable("j") {
      sql("CREATE TABLE j USING json AS SELECT 1 AS a")
      refused(
        "SELECT * FROM describe_layout('j')",
        "ZORDER_UNSUPPORTED_FORMAT",
        "0A000",
        "statement" -> "describe_layout")
    }
    for (query <- Seq("DROP TABLE t", "INSERT INTO t SELECT * FROM t", "FROM t INSERT INTO t SELECT *"))
      refused(
        s"SELECT * FROM explain_skipping('$query')",
        "ZORDER_NOT_A_QUERY",
        "0A000",
        "statement" -> "explain_skipping",
        "firstWord" -> query.takeWhile(_ != ' '))
    for (text <- Seq(
        "describe_layout('a b c')",
        "describe_layout('t', where => 'day ==')",
        "explain_skipping('')",
        "layout_files('t', array('a b'))",
        "explain_skipping('SELECT 1; DROP TABLE t')"
      ))
      assert(intercept[ParseException](sql(s"SELECT * FROM $text")).getSqlState.startsWith("42"), text)
    val unknown = intercept[AnalysisException](sql("SELECT * FROM explain_skipping('SELECT a FROM nowhere')").collect())
    assert(unknown.getCondition === "TABLE_OR_VIEW_NOT_FOUND")
    assert(spark.table("t").count() === 600L)
  }

  test("predicates that the optimizer makes of others, on both formats", LongTest) {
    withTable("days") {
      events(400).coalesce(2).write.partitionBy("day").format("parquet").saveAsTable("days")
      for (name <- Seq("t", "days")) {
        val all = sql(s"SELECT count(DISTINCT file) FROM layout_files('$name')").head().getLong(0)
        def files(where: String) =
          sql(s"SELECT count(DISTINCT file) FROM layout_files('$name', where => \"$where\")").head().getLong(0)
        assert(files("day BETWEEN '2024-01-01' AND '2024-12-31'") === all)
        assert(files("day < current_date() AND nvl(CAST(day AS STRING), 'x') <> left('xy', 1)") === all)
        assert(files("to_date(day) = DATE'2024-01-02'") > 0 && files("current_user() = ''") === 0)
      }
    }
  }

  test("a word too much after the predicate is no name of it") {
    for (where <- Seq("day = 1 quickly", "day = 1 AS x", "day = 1 AS (x, y)"))
      refused(s"SELECT * FROM layout_files('t', where => '$where')", "ZORDER_SYNTAX_ERROR.UNEXPECTED", "42601")
  }

  test("double quotes are those of a name where the session says so") {
    withSQLConf("spark.sql.ansi.doubleQuotedIdentifiers" -> "true") {
      checkAnswer(sql("""SELECT count(*) > 0 FROM describe_layout('"default"."t"')"""), Row(true))
      refused("""SELECT * FROM describe_layout('"t" || "t"')""", "PARSE_SYNTAX_ERROR", "42601")
    }
  }

  test("DESCRIBE FUNCTION tells of them") {
    for ((name, info, _) <- SqlTableFunctions.all) {
      val shown = sql(s"DESCRIBE FUNCTION EXTENDED $name").collect().map(_.getString(0)).mkString("\n")
      assert(shown.contains(info.getUsage) && shown.contains(info.getArguments.trim) && shown.contains("0.1.0"), shown)
      assert(sql(s"SHOW FUNCTIONS LIKE '$name'").count() === 1)
    }
  }
}
