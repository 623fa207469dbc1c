// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.TestedSpark
import io.sparkzorder.format.UnresolvedPathTable
import io.sparkzorder.plan.{
  AdviseLayoutStatement,
  CompactStatement,
  DescribeLayoutStatement,
  ExplainSkippingStatement,
  OptimizeStatement,
  SortTableStatement
}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.{PlanWithUnresolvedIdentifier, UnresolvedAttribute, UnresolvedTable}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.SQLHelper
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.command.ExplainCommand

class ZOrderSqlParserSuite extends SparkFunSuite with SQLHelper {

  private val delegate = new RecordingParser
  private val parser = new ZOrderSqlParser(delegate)

  private def parse(sql: String): LogicalPlan = parser.parsePlan(sql)

  private def optimize(sql: String): OptimizeStatement = parse(sql).asInstanceOf[OptimizeStatement]

  private def describe(sql: String): DescribeLayoutStatement = parse(sql).asInstanceOf[DescribeLayoutStatement]

  private def columns(expressions: Seq[Expression]): Seq[Seq[String]] =
    expressions.map(_.asInstanceOf[UnresolvedAttribute].nameParts)

  private def table(plan: LogicalPlan): Seq[String] = plan.asInstanceOf[UnresolvedTable].multipartIdentifier

  private def path(plan: LogicalPlan): (Option[String], String) = plan match {
    case UnresolvedPathTable(format, path, _) => (format, path)
    case other => fail(s"$other is no path")
  }

  // Tables

  test("names of tables") {
    Seq(
      "t" -> Seq("t"),
      "db.t" -> Seq("db", "t"),
      "c.db.t" -> Seq("c", "db", "t"),
      "`a.b`.`c d`" -> Seq("a.b", "c d"),
      "`back``quote`" -> Seq("back`quote"),
      "2024_sales" -> Seq("2024_sales"),
      "db.2024" -> Seq("db", "2024"),
      "layout" -> Seq("layout"),
      "optimize.zorder" -> Seq("optimize", "zorder"),
      "`\u00fcber`" -> Seq("\u00fcber"),
      "delta.t" -> Seq("delta", "t"),
      "delta.`relative/path`" -> Seq("delta", "relative/path")
    ).foreach { case (text, parts) =>
      assert(table(optimize(s"OPTIMIZE $text ZORDER BY (a)").child) === parts, text)
      assert(table(describe(s"DESCRIBE LAYOUT $text").child) === parts, text)
    }
  }

  test("the word TABLE in front of a table, and tables of that name") {
    Seq("TABLE t" -> Seq("t"), "table db.t" -> Seq("db", "t"), "TABLE table" -> Seq("table"), "table" -> Seq("table"))
      .foreach { case (text, parts) =>
        assert(table(optimize(s"OPTIMIZE $text ZORDER BY (a)").child) === parts, text)
        assert(table(optimize(s"OPTIMIZE $text ZORDER").child) === parts, text)
        assert(optimize(s"OPTIMIZE $text WHERE p = 1 ZORDER DRY RUN").predicate.isDefined)
      }
    assert(table(optimize("OPTIMIZE table.t ZORDER BY a").child) === Seq("table", "t"))
    assert(path(optimize("OPTIMIZE TABLE parquet.`/tmp/t` ZORDER BY a").child) === (Some("parquet"), "/tmp/t"))
  }

  test("folders of tables") {
    Seq(
      "delta.`/tmp/a b/t`" -> (Some("delta"), "/tmp/a b/t"),
      "DELTA.`s3a://bucket/t`" -> (Some("DELTA"), "s3a://bucket/t"),
      "parquet.`/tmp/t`" -> (Some("parquet"), "/tmp/t"),
      "'/tmp/t'" -> (None, "/tmp/t"),
      "\"/tmp/it's\"" -> (None, "/tmp/it's"),
      "'/tmp/it\\'s'" -> (None, "/tmp/it's"),
      "delta.`/tmp/x``y`" -> (Some("delta"), "/tmp/x`y")
    ).foreach { case (text, expected) =>
      assert(path(optimize(s"OPTIMIZE $text ZORDER BY (a)").child) === expected, text)
      assert(path(describe(s"DESCRIBE LAYOUT $text ON (a)").child) === expected, text)
    }
  }

  test("double-quoted names, where the session says that they are names") {
    assume(TestedSpark.isAtLeast("4.1"), "A name has no quote in it there")
    val text = """OPTIMIZE "a ""b".t WHERE "day" = 'x' ZORDER BY ("c ""d", e."f")"""
    withSQLConf("spark.sql.ansi.enabled" -> "true", "spark.sql.ansi.doubleQuotedIdentifiers" -> "true") {
      val found = optimize(text)
      assert(table(found.child) === Seq("a \"b", "t"))
      assert(columns(found.columns) === Seq(Seq("c \"d"), Seq("e", "f")))
      assert(found.predicate === Some(delegate.parseExpression("`day` = 'x'")))
      assert(table(describe("DESCRIBE LAYOUT \"t\" ON (\"a\")").child) === Seq("t"))
      assert(table(describe("DESCRIBE LAYOUT \"/tmp/t\"").child) === Seq("/tmp/t"))
    }
    assert(intercept[ParseException](parse(text)).getSqlState === "42601")
  }

  test("comments end where Spark ends them") {
    assert(columns(optimize("OPTIMIZE t -- a comment \\\n that ZORDER BY (b) goes on\n ZORDER BY (a)").columns) ===
      Seq(Seq("a")))
    val e = intercept[ParseException](parse("OPTIMIZE t ZORDER BY (a) -- a comment \\\n goes on\n and on"))
    assert(e.start.line.contains(3))
  }

  // Columns

  test("columns, with parentheses and without") {
    Seq("(a, b)", "a, b", "( a ,b )", "(`a`, b)").foreach { text =>
      assert(columns(optimize(s"OPTIMIZE t ZORDER BY $text").columns) === Seq(Seq("a"), Seq("b")), text)
    }
    val text = "(a.b.c, `a.b`, `x y`.`z``w`, by, zorder.layout, 1st)"
    val expected =
      Seq(Seq("a", "b", "c"), Seq("a.b"), Seq("x y", "z`w"), Seq("by"), Seq("zorder", "layout"), Seq("1st"))
    assert(columns(optimize(s"OPTIMIZE t ZORDER BY $text").columns) === expected)
    assert(columns(describe(s"DESCRIBE LAYOUT t ON $text").columns) === expected)
  }

  test("the table's own columns, where there is no BY") {
    val own = optimize("OPTIMIZE t ZORDER")
    assert(own.byTableOrder && own.columns.isEmpty && !own.dryRun && own.predicate.isEmpty)
    val all = optimize("OPTIMIZE t WHERE d = 1.5 AND zorder ZORDER OPTIONS (curve = 'hilbert') DRY RUN")
    assert(all.byTableOrder && all.dryRun && all.options === Map("curve" -> "hilbert"))
    assert(all.predicate === Some(delegate.parseExpression("d = 1.5 AND zorder")))
    for (predicate <- Seq("d = 1.5", "d = 'x'", "f(d)", "a[1]", "zorder = zorder", "`d`", "x IS NULL", "d IN (1)"))
      assert(
        optimize(s"OPTIMIZE t WHERE $predicate ZORDER ;").predicate ===
          Some(delegate.parseExpression(predicate)),
        predicate)
    assert(!optimize("OPTIMIZE t ZORDER BY ()").byTableOrder)
    assert(table(optimize("OPTIMIZE zorder ZORDER").child) === Seq("zorder"))
  }

  test("ALTER TABLE ... SORT BY") {
    def sort(text: String) = parse(text).asInstanceOf[SortTableStatement]
    for ((order, isZOrder) <- Seq("" -> false, "LEXICAL" -> false, "zorder" -> true)) {
      val found = sort(s"ALTER TABLE a.`b c`.t SORT BY $order (x, `y.z`, s.f, sort, lexical);")
      assert(table(found.child) === Seq("a", "b c", "t") && found.isZOrder === isZOrder)
      assert(columns(found.columns) === Seq(Seq("x"), Seq("y.z"), Seq("s", "f"), Seq("sort"), Seq("lexical")))
      assert(sort(s"alter table t sort by $order ()").columns.isEmpty)
    }
    assert(table(sort("ALTER TABLE sort SORT BY (by)").child) === Seq("sort"))
    assert(table(sort("ALTER TABLE IDENTIFIER('a.t') SORT BY (IDENTIFIER('b'))").child) === Seq("a", "t"))
    val texts = sort("ALTER TABLE a.IDENTIFIER('`b` . ' 'c').t SORT BY (s.IDENTIFIER('x'), IDENTIFIER('s.y').z)")
    assert(table(texts.child) === Seq("a", "b", "c", "t"))
    assert(columns(texts.columns) === Seq(Seq("s", "x"), Seq("s", "y", "z")))
    assert(sort("ALTER TABLE IDENTIFIER(f('t')) SORT BY (a)").child.isInstanceOf[PlanWithUnresolvedIdentifier])
    assert(parse("EXPLAIN ALTER TABLE t SORT BY (a)").isInstanceOf[ExplainCommand])
  }

  test("no column is for the analyzer to refuse") {
    assert(optimize("OPTIMIZE t ZORDER BY ()").columns.isEmpty)
    assert(describe("DESCRIBE LAYOUT t").columns.isEmpty)
    assert(describe("DESCRIBE LAYOUT t ON ()").columns.isEmpty)
  }

  // WHERE

  private val predicates = Seq(
    "day = '2024-01-01'",
    "day BETWEEN DATE'2024-01-01' AND DATE'2024-02-01' AND country IN ('CH', 'DE')",
    "(a OR b) AND NOT c",
    "name = 'ZORDER BY (x)'",
    "name = 'it''s'",
    "name = \"two -- words\"",
    "`zorder` = 1",
    "x = 1 -- a comment\n and /* another */ y = 2",
    "s.f > 1.5e3",
    "day = current_date() - INTERVAL '1' DAY",
    "a <=> NULL",
    "a LIKE '%\\\\_%'",
    "CASE WHEN a THEN b ELSE c END"
  )

  for (predicate <- predicates) test(s"WHERE as Spark reads it: ${predicate.replace("\n", " ")}") {
    val expected = Some(delegate.parseExpression(predicate))
    assert(optimize(s"OPTIMIZE t WHERE $predicate ZORDER BY (a)").predicate === expected)
    assert(describe(s"DESCRIBE LAYOUT t ON (a) WHERE $predicate").predicate === expected)
    assert(describe(s"DESCRIBE LAYOUT EXTENDED t WHERE $predicate;").predicate === expected)
  }

  test("without WHERE there is no predicate") {
    assert(optimize("OPTIMIZE t ZORDER BY a").predicate.isEmpty)
    assert(describe("DESCRIBE LAYOUT t").predicate.isEmpty)
  }

  // OPTIONS

  test("options, keys in lower case, values as written") {
    Seq(
      "" -> Map.empty,
      "OPTIONS ()" -> Map.empty,
      "OPTIONS (target_file_size = '256m')" -> Map("target_file_size" -> "256m"),
      "options (TARGET_FILE_SIZE '1G')" -> Map("target_file_size" -> "1G"),
      "OPTIONS ('target_file_size' = 1024)" -> Map("target_file_size" -> "1024"),
      "OPTIONS (a.b = x, c = -5)" -> Map("a.b" -> "x", "c" -> "-5"),
      "OPTIONS (curve = zorder, layout = All)" -> Map("curve" -> "zorder", "layout" -> "All")
    ).foreach { case (text, expected) =>
      assert(optimize(s"OPTIMIZE t ZORDER BY (a) $text").options === expected, text)
    }
  }

  test("an option given twice") {
    val e = intercept[ParseException](parse("OPTIMIZE t ZORDER BY (a) OPTIONS (x = 1, X = 2)"))
    assert(e.getCondition === "DUPLICATE_KEY" && e.getMessageParameters.get("keyColumn") === "`x`")
  }

  // DESCRIBE LAYOUT and EXPLAIN

  test("DESCRIBE LAYOUT, EXTENDED or not") {
    assert(describe("DESCRIBE LAYOUT t").rows === DescribeLayoutStatement.ForPeople)
    assert(describe("DESC LAYOUT EXTENDED t ON (a)").rows === DescribeLayoutStatement.PerFile)
    // A table called extended
    assert(table(describe("DESCRIBE LAYOUT EXTENDED extended").child) === Seq("extended"))
    assert(table(describe("DESCRIBE LAYOUT `extended`").child) === Seq("extended"))
  }

  test("EXPLAIN in all its forms") {
    Seq(
      "" -> SimpleMode,
      "EXTENDED" -> ExtendedMode,
      "LOGICAL" -> ExtendedMode,
      "FORMATTED" -> FormattedMode,
      "codegen" -> CodegenMode,
      "Cost" -> CostMode
    ).foreach { case (text, mode) =>
      parse(s"EXPLAIN $text OPTIMIZE t ZORDER BY (a)") match {
        case ExplainCommand(_: OptimizeStatement, found) => assert(found === mode)
        case other => fail(s"$other")
      }
    }
    assert(parse("EXPLAIN DESCRIBE LAYOUT t").asInstanceOf[ExplainCommand].logicalPlan
      .isInstanceOf[DescribeLayoutStatement])
  }

  // EXPLAIN SKIPPING

  /**
   * The query's plan as text, without the ids, which differ from parse to parse; or the first word of what is no query.
   */
  private def explained(plan: LogicalPlan): Either[String, String] =
    plan.asInstanceOf[ExplainSkippingStatement].query.map(shown)

  private def shown(expression: Expression): String = expression.treeString.replaceAll("#\\d+", "#")

  private def shown(plan: LogicalPlan): String = plan.treeString.replaceAll("#\\d+", "#")

  test("EXPLAIN SKIPPING: the query is the one that the parser below reads") {
    Seq(
      "SELECT * FROM t WHERE a = 1",
      "(SELECT 1)",
      "SELECT ';' -- ;",
      "TABLE t",
      "VALUES (1)",
      "FROM t SELECT a",
      "FROM t |> WHERE a = 1",
      "WITH c AS (SELECT 1) SELECT * FROM c",
      "SELECT /*+ BROADCAST(t) */ a::int, v:x.y, \"q\", `b``c`, a ? b, $$q$$ FROM t",
      "SELECT explain, skipping FROM zorder"
    ).filter(q => scala.util.Try(delegate.parsePlan(q)).isSuccess).foreach { query =>
      val expected = Right(shown(delegate.parsePlan(query)))
      assert(explained(parse(s"EXPLAIN SKIPPING $query")) === expected, query)
      assert(explained(parse(s"-- a comment\nexplain /* b */ skipping\n$query\n;;")) === expected, query)
    }
  }

  test("EXPLAIN SKIPPING of what is no query keeps its first word only") {
    Seq(
      "INSERT INTO t SELECT * FROM u" -> "INSERT",
      "insert into t values (1)" -> "INSERT",
      "FROM u INSERT INTO t SELECT *" -> "FROM",
      "FROM u INSERT INTO t SELECT * INSERT INTO v SELECT *" -> "FROM",
      "WITH c AS (SELECT 1) INSERT INTO t SELECT * FROM c" -> "WITH",
      "WITH c AS (SELECT 1 AS a) DELETE FROM t WHERE a IN (SELECT a FROM c)" -> "WITH",
      "OPTIMIZE t ZORDER BY (a)" -> "OPTIMIZE",
      "OPTIMIZE t" -> "OPTIMIZE",
      "EXPLAIN SELECT 1" -> "EXPLAIN",
      "EXTENDED SELECT 1" -> "EXTENDED",
      "BEGIN SELECT 1; END" -> "BEGIN",
      "SET a = 1" -> "SET",
      "CHOOSE 1" -> "CHOOSE"
    ).filter { case (text, word) => word != "WITH" || scala.util.Try(delegate.parsePlan(text)).isSuccess }.foreach {
      case (text, word) => assert(explained(parse(s"EXPLAIN SKIPPING $text")) === Left(word), text)
    }
  }

  // ADVISE LAYOUT

  test("ADVISE LAYOUT: columns, queries as the parser below reads them, condition and options") {
    val plan = parse(
      "ADVISE LAYOUT a.b ON (x, s.y) FOR (SELECT ')' FROM t WHERE f(x) = 1), ((SELECT 2)), (TABLE t -- all\n) " +
        "WHERE day = 1 OPTIONS (curve = 'hilbert')").asInstanceOf[AdviseLayoutStatement]
    assert(table(plan.child) === Seq("a", "b") && columns(plan.columns) === Seq(Seq("x"), Seq("s", "y")))
    val queries = Seq("SELECT ')' FROM t WHERE f(x) = 1", "(SELECT 2)", "TABLE t")
    assert(plan.queries.map(_.map(shown)) === queries.map(q => Right(shown(delegate.parsePlan(q)))))
    assert(plan.predicate.map(_.sql) === Some("(day = 1)") && plan.options === Map("curve" -> "hilbert"))
    val short = parse("ADVISE LAYOUT advise").asInstanceOf[AdviseLayoutStatement]
    assert(table(short.child) === Seq("advise") && short.queries === Nil && short.predicate === None)
    parse("ADVISE LAYOUT t FOR (SELECT 1), (DROP TABLE t)") match {
      case AdviseLayoutStatement(_, _, _, queries, _) => assert(queries.last === Left("DROP"))
    }
  }

  test("EXPLAIN of EXPLAIN SKIPPING") {
    parse("EXPLAIN EXTENDED EXPLAIN SKIPPING SELECT 1") match {
      case ExplainCommand(ExplainSkippingStatement(Right(_), _), ExtendedMode) =>
      case other => fail(s"$other")
    }
  }

  test("EXPLAIN SKIPPING: an error in the query tells its place in the statement") {
    val text = "EXPLAIN SKIPPING SELECT a\nFROM t WHERE x == = 1"
    val e = intercept[ParseException](parse(text))
    assert(e.command.contains(text) && e.start.line.contains(2) && e.start.startPosition.contains(18))
    checkError(e, "PARSE_SYNTAX_ERROR", Some("42601"), Map("error" -> "'='", "hint" -> ""))
    Seq("EXPLAIN SKIPPING", "EXPLAIN SKIPPING;", "EXPLAIN FORMATTED SKIPPING SELECT 1", "EXPLAIN SKIPPING SELECT (a")
      .foreach(t => assert(intercept[ParseException](parse(t)).getSqlState === "42601", t))
  }

  // Whose statement it is

  test("with the take-over off, what Delta's parser can read goes to the parser below, in EXPLAIN too") {
    val inner = new ForgetfulParser(new RecordingParser {
      override def parsePlan(sqlText: String): LogicalPlan = {
        statements :+= sqlText
        OneRowRelation()
      }
    })
    val outer = new ZOrderSqlParser(inner)
    val value = if (ParametersOfTests.areKnownToParsers) "1" else ":p"
    withSQLConf("spark.sql.zorder.delta.takeover" -> "false") {
      assert(outer.parsePlan("OPTIMIZE t WHERE p = 1 ZORDER BY (a)") === OneRowRelation())
      assert(outer.parsePlanWithParameters("OPTIMIZE t WHERE p = :p ZORDER BY a", named("p" -> 1)) === OneRowRelation())
      assert(outer.parsePlan("EXPLAIN OPTIMIZE t ZORDER BY a").asInstanceOf[ExplainCommand].logicalPlan ===
        OneRowRelation())
      assert(inner.delegate.statements.map(_.trim.replaceAll("\\s+", " ")) ===
        Seq(
          "OPTIMIZE t WHERE p = 1 ZORDER BY (a)",
          s"OPTIMIZE t WHERE p = $value ZORDER BY a",
          "OPTIMIZE t ZORDER BY a"))

      assert(outer.parsePlan("OPTIMIZE t ZORDER BY a DRY RUN").isInstanceOf[OptimizeStatement])
      assert(outer.parsePlan("OPTIMIZE t ZORDER BY a OPTIONS (curve = 'hilbert')").isInstanceOf[OptimizeStatement])
      // Spark alone does not know the statement.
      assert(optimize("OPTIMIZE t ZORDER BY a").columns.size === 1)
    }
    assert(outer.parsePlan("OPTIMIZE t ZORDER BY a").isInstanceOf[OptimizeStatement])
  }

  test("OPTIMIZE TABLE t is OPTIMIZE t to a parser below that reads only that, in EXPLAIN and with parameters too") {
    val inner = new ForgetfulParser(new RecordingParser {
      override def parsePlan(sqlText: String): LogicalPlan =
        if (sqlText.matches("(EXPLAIN )?OPTIMIZE +t( WHERE .*)?")) { statements :+= sqlText; OneRowRelation() }
        else super.parsePlan(sqlText)
    })
    val outer = new ZOrderSqlParser(inner)
    for (text <- Seq("OPTIMIZE TABLE t", "OPTIMIZE TABLE t WHERE p = 1", "EXPLAIN OPTIMIZE TABLE t", "OPTIMIZE t"))
      assert(outer.parsePlan(text) === OneRowRelation(), text)
    assert(outer.parsePlanWithParameters("OPTIMIZE TABLE t WHERE p = 2", named("p" -> 1)) === OneRowRelation())
    assert(inner.delegate.statements.last === "OPTIMIZE       t WHERE p = 2")
    withSQLConf("spark.sql.zorder.delta.takeover" -> "false") {
      assert(!outer.parsePlan("OPTIMIZE t ZORDER").isInstanceOf[OneRowRelation])
    }
    assert(outer.parsePlan("OPTIMIZE TABLE u").isInstanceOf[CompactStatement])
  }

  // OPTIMIZE without ZORDER

  private def compact(sql: String, parser: ParserInterface = parser): CompactStatement =
    parser.parsePlan(sql).asInstanceOf[CompactStatement]

  test("OPTIMIZE without ZORDER: table, predicate, options and dry run, with and without EXPLAIN") {
    for (text <- Seq("OPTIMIZE a.zorder", "optimize table a.zorder;", "/* x */ OPTIMIZE a.`zorder` -- y\n ;;")) {
      val found = compact(text)
      assert(table(found.child) === Seq("a", "zorder"), text)
      assert((found.predicate, found.options, found.dryRun) === ((None, Map.empty, false)))
    }
    assert(path(compact("OPTIMIZE '/t'").child) === ((None, "/t")))
    assert(path(compact("OPTIMIZE parquet.`/t`").child) === ((Some("parquet"), "/t")))
    val all = compact("OPTIMIZE t WHERE p = 'DRY RUN' AND q > 1 OPTIONS (target_file_size = '1m', force true) DRY RUN")
    assert(all.predicate === Some(delegate.parseExpression("p = 'DRY RUN' AND q > 1")))
    assert(all.options === Map("target_file_size" -> "1m", "force" -> "true") && all.dryRun)
    assert(compact("OPTIMIZE t OPTIONS ()").options.isEmpty)
    val explained = parse("EXPLAIN EXTENDED OPTIMIZE t WHERE p = 1").asInstanceOf[ExplainCommand]
    assert(explained.mode === ExtendedMode && explained.logicalPlan.isInstanceOf[CompactStatement])
  }

  test("OPTIMIZE without ZORDER is another parser's where it reads it") {
    val outer = new ZOrderSqlParser(new RecordingParser {
      override def parsePlan(sqlText: String): LogicalPlan =
        if (sqlText.startsWith("OPTIMIZE t")) OneRowRelation() else super.parsePlan(sqlText)
    })
    assert(outer.parsePlan("OPTIMIZE t") === OneRowRelation())
    assert(compact("OPTIMIZE u", outer).options.isEmpty)
  }

  test("OPTIMIZE without ZORDER: parameters") {
    assumeKnownValues()
    def bound(sql: String, context: ParameterContext) =
      parser.parsePlanWithParameters(sql, context).asInstanceOf[CompactStatement]
    val found = bound(
      "OPTIMIZE IDENTIFIER(:t) WHERE p = :p OPTIONS (target_file_size = :s)",
      named("t" -> "a.b", "p" -> 1, "s" -> "1m"))
    assert(table(found.child) === Seq("a", "b") && found.options === Map("target_file_size" -> "1m"))
    assert(found.predicate === Some(delegate.parseExpression("p = 1")))
    assert(bound("OPTIMIZE t WHERE p = ?", positional(2)).predicate === Some(delegate.parseExpression("p = 2")))
  }

  test("everything else goes to the parser below as it came") {
    val inner = new RecordingParser
    val texts = Seq(
      "SELECT '${none}' -- OPTIMIZE t ZORDER BY (a)\n FROM a.b",
      "DESCRIBE layout",
      "DESCRIBE EXTENDED layout",
      "DESCRIBE layout.t",
      "EXPLAIN SELECT 1"
    )
    val plans = texts.map(new ZOrderSqlParser(inner).parsePlan)
    assert(inner.statements === texts)
    assert(plans.head === new SparkSqlParser().parsePlan(texts.head))
  }

  test("the other entries go to the parser below") {
    assert(parser.parseExpression("a + 1") === delegate.parseExpression("a + 1"))
    assert(parser.parseQuery("SELECT 1") === delegate.parseQuery("SELECT 1"))
    assert(parser.parseTableIdentifier("a.b") === delegate.parseTableIdentifier("a.b"))
    assert(parser.parseFunctionIdentifier("a.f") === delegate.parseFunctionIdentifier("a.f"))
    assert(parser.parseMultipartIdentifier("a.b.`c.d`") === Seq("a", "b", "c.d"))
    assert(parser.parseTableSchema("a INT") === delegate.parseTableSchema("a INT"))
    assert(parser.parseDataType("MAP<INT, INT>") === delegate.parseDataType("MAP<INT, INT>"))
    assert(parser.parseRoutineParam("a INT DEFAULT 1") === delegate.parseRoutineParam("a INT DEFAULT 1"))
  }

  test("slips in our statements are syntax errors that name the place") {
    Seq(
      "OPTIMIZE t ZORDER a",
      "OPTIMIZE t ZORDER BY",
      "OPTIMIZE t ZORDER OPTIONS",
      "OPTIMIZE t ZORDER DRY",
      "OPTIMIZE t WHERE ZORDER DRY RUN",
      "ALTER TABLE t SORT BY",
      "ALTER TABLE t SORT BY a",
      "ALTER TABLE t SORT BY (a,)",
      "ALTER TABLE t SORT BY (a) (b)",
      "ALTER TABLE t SORT BY HILBERT (a)",
      "ALTER TABLE t SORT BY (a DESC)",
      "ALTER TABLE 't' SORT BY (a)",
      "OPTIMIZE t ZORDER (a)",
      "OPTIMIZE t ZORDER BY (a,)",
      "OPTIMIZE t ZORDER BY (a",
      "OPTIMIZE t ZORDER BY (a) WHERE x = 1",
      "OPTIMIZE t ZORDER BY (a + 1)",
      "OPTIMIZE t ZORDER BY (a) OPTIONS (x = )",
      "OPTIMIZE t WHERE ZORDER BY (a)",
      "OPTIMIZE t WHERE x = ZORDER BY (a)",
      "OPTIMIZE ZORDER BY (a)",
      "OPTIMIZE t FULL ZORDER BY (a)",
      "OPTIMIZE a..b ZORDER BY (a)",
      "OPTIMIZE t ZORDER BY (a); SELECT 1",
      "OPTIMIZE t ZORDER BY ('a')",
      "DESCRIBE LAYOUT t ON a",
      "DESCRIBE LAYOUT t WHERE",
      "DESCRIBE LAYOUT t x",
      "EXPLAIN EXTENDED OPTIMIZE t ZORDER BY"
    ).foreach { text =>
      val e = intercept[ParseException](parse(text))
      assert(e.getSqlState === "42601", s"$text: ${e.getMessage}")
      assert(e.command.contains(text), text)
    }
  }

  test("an error inside WHERE tells its place in the statement") {
    val text = "OPTIMIZE t\n WHERE x == = 1 ZORDER BY (a)"
    val e = intercept[ParseException](parse(text))
    assert(e.command.contains(text) && e.start.line.contains(2) && e.start.startPosition.contains(12))
    checkError(e, "PARSE_SYNTAX_ERROR", Some("42601"), Map("error" -> "'='", "hint" -> ""))
  }

  // ${...} substitution

  test("variables are replaced in our statements") {
    withSQLConf("the.table" -> "db.t", "the.columns" -> "a, b", "the.day" -> "2024-01-01") {
      val found = optimize("OPTIMIZE ${the.table} WHERE day = '${the.day}' ZORDER BY (${the.columns})")
      assert(table(found.child) === Seq("db", "t"))
      assert(columns(found.columns) === Seq(Seq("a"), Seq("b")))
      assert(found.predicate === Some(delegate.parseExpression("day = '2024-01-01'")))
    }
    withSQLConf("the.column" -> "a") {
      assert(explained(parse("EXPLAIN SKIPPING SELECT ${the.column} FROM t")) ===
        Right(shown(delegate.parsePlan("SELECT a FROM t"))))
    }
    withSQLConf("the.verb" -> "OPTIMIZE t") {
      assert(columns(optimize("${the.verb} ZORDER BY (a)").columns) === Seq(Seq("a")))
    }
  }

  // Parameters

  private def assumeKnownValues(): Unit =
    assume(ParametersOfTests.areKnownToParsers, "This Spark parses without the values of parameters")

  private def named(values: (String, Any)*): ParameterContext =
    NamedParameterContext(values.map { case (k, v) => k -> Literal(v) }.toMap)

  private def positional(values: Any*): ParameterContext = PositionalParameterContext(values.map(Literal(_)))

  private def predicate(sql: String, context: ParameterContext, parser: ParserInterface = parser): Expression =
    parser.parsePlanWithParameters(sql, context).asInstanceOf[OptimizeStatement].predicate.get

  private def parsed(text: String): Expression = delegate.parseExpression(text)

  for (inner <- Seq(new RecordingParser, new ForgetfulParser(new RecordingParser))) {
    val name = inner.getClass.getSimpleName

    test(s"parameters in our statements, over $name") {
      val outer = new ZOrderSqlParser(inner)
      assert(
        predicate("OPTIMIZE t WHERE day = :d AND n > :n ZORDER BY (a)", named("d" -> "it's", "n" -> 5), outer) ===
          parsed("day = 'it\\'s' AND n > 5"))
      assert(
        predicate("OPTIMIZE t WHERE day = ? AND n IN (?, ?) ZORDER BY (a)", positional("x", 1, 2), outer) ===
          parsed("day = 'x' AND n IN (1, 2)"))
      assert(predicate("OPTIMIZE t WHERE x = ':n ?' ZORDER BY (a)", named("n" -> 1), outer) === parsed("x = ':n ?'"))
      assert(
        predicate("OPTIMIZE t WHERE a = :n -- :other ?\n ZORDER BY (a)", named("n" -> -1), outer) === parsed("a = -1"))
      assert(predicate("OPTIMIZE t WHERE a = :v AND b = :v ZORDER BY a", named("v" -> true), outer) ===
        parsed("a = true AND b = true"))
    }

    test(s"parameters behind characters of two code units, over $name") {
      assumeKnownValues()
      assume(ParametersOfTests.haveTheirPlace, "This Spark puts values at wrong places, in its own statements, too")
      val outer = new ZOrderSqlParser(inner)
      assert(
        predicate(
          "/* \ud83d\ude00 */ OPTIMIZE t WHERE x = '\ud83d\ude00' AND y = :y ZORDER BY a",
          named("y" -> 1),
          outer) ===
          parsed("x = '\ud83d\ude00' AND y = 1"))
      val text = "/* \ud83d\ude00 */ EXPLAIN SKIPPING SELECT '\ud83d\ude00', ':n ?', :n -- :m"
      assert(explained(outer.parsePlanWithParameters(text, named("n" -> 1))) ===
        Right(shown(delegate.parsePlan("SELECT '\ud83d\ude00', ':n ?', 1"))))
    }

    test(s"what is no parameter stays, over $name") {
      assume(TestedSpark.isAtLeast("4.1"), "A colon before a field is a mistake there")
      val outer = new ZOrderSqlParser(inner)
      def where(text: String, context: ParameterContext) =
        predicate(s"OPTIMIZE t WHERE $text ZORDER BY (a)", context, outer)
      val values = named("int" -> 7, "field" -> 8, "n" -> 1, "m" -> 9)
      for (text <- Seq(
          "p::int = 1",
          "p :: int = 1",
          "v:field = 1",
          "v:field.x::int = 1",
          "v : field[0] = 1",
          "x = 1 -- it's a comment with a :m \\\n and :m\n AND y = 2",
          "x = R'\\' AND y = ':m'",
          "x = 1 /* :m ' ? */ AND y = 2"
        ))
        assert(shown(where(text, values)) === shown(parsed(text)), text)
      assert(shown(where("p::int = :n AND v:field = :n", values)) === shown(parsed("p::int = 1 AND v:field = 1")))
      assert(
        shown(where("p::int = ? AND v:field = ?", positional(1, 2))) === shown(parsed("p::int = 1 AND v:field = 2")))
      val plan = outer.parsePlanWithParameters("DESCRIBE LAYOUT t ON (a) WHERE p::int = :n", values)
      assert(plan.asInstanceOf[DescribeLayoutStatement].predicate === Some(parsed("p::int = 1")))
      val unbound = intercept[AnalysisException](where("p::int = :x", values))
      assert(unbound.getCondition === "UNBOUND_SQL_PARAMETER" && unbound.getMessageParameters.get("name") === "x")
    }

    test(s"parameters outside of predicates, over $name") {
      assumeKnownValues()
      val outer = new ZOrderSqlParser(inner)
      def parse(text: String, context: ParameterContext) = outer.parsePlanWithParameters(text, context)
      val text = "OPTIMIZE ? WHERE x = ? ZORDER BY (a) OPTIONS (target_file_size = ?, curve = ?)"
      val found = parse(text, positional("/tmp/t", 1, "4k", "hilbert")).asInstanceOf[OptimizeStatement]
      assert(path(found.child) === (None, "/tmp/t") && found.predicate === Some(parsed("x = 1")))
      assert(found.options === Map("target_file_size" -> "4k", "curve" -> "hilbert"))
      val described = parse("DESCRIBE LAYOUT :where", named("where" -> "/tmp/t"))
      assert(path(described.asInstanceOf[DescribeLayoutStatement].child) === (None, "/tmp/t"))
    }

    test(s"a slip in a statement with parameters is shown where it stands, over $name") {
      val text = "OPTIMIZE t\n WHERE :x == = 1 ZORDER BY (a)"
      val e = intercept[ParseException](new ZOrderSqlParser(inner).parsePlanWithParameters(text, named("x" -> 1)))
      assert(e.command.contains(text) && e.start.line.contains(2) && e.start.startPosition.contains(13))
    }

    test(s"IDENTIFIER, over $name") {
      assumeKnownValues()
      val outer = new ZOrderSqlParser(inner)
      def parse(text: String) = outer.parsePlanWithParameters(text, named("t" -> "db.`a t`", "c" -> "s.x", "n" -> 1))
      val found = parse(
        "OPTIMIZE IDENTIFIER(:t) WHERE p = :n ZORDER BY (IDENTIFIER(:c), b)").asInstanceOf[OptimizeStatement]
      assert(table(found.child) === Seq("db", "a t") && columns(found.columns) === Seq(Seq("s", "x"), Seq("b")))
      val described =
        parse("DESCRIBE LAYOUT EXTENDED IDENTIFIER(:t) ON (IDENTIFIER(:c))").asInstanceOf[DescribeLayoutStatement]
      assert(table(described.child) === Seq("db", "a t") && columns(described.columns) === Seq(Seq("s", "x")))
      val analyzed = parse("ANALYZE TABLE IDENTIFIER(:t) COMPUTE FILE STATISTICS FOR COLUMNS IDENTIFIER(:c)")
      assert(table(analyzed.children.head) === Seq("db", "a t"))
      assert(path(parse("DESCRIBE LAYOUT IDENTIFIER('delta.`/tmp/t`')").children.head) === (Some("delta"), "/tmp/t"))
      assert(
        parse("OPTIMIZE IDENTIFIER('d' || :t) ZORDER BY a").children.head.isInstanceOf[PlanWithUnresolvedIdentifier])
      // Names as any other where no parenthesis follows
      assert(table(parse("OPTIMIZE identifier.t ZORDER BY (identifier)").children.head) === Seq("identifier", "t"))
    }

    test(s"parameters in EXPLAIN SKIPPING, over $name") {
      assumeKnownValues()
      val outer = new ZOrderSqlParser(inner)
      def query(text: String, context: ParameterContext) =
        explained(outer.parsePlanWithParameters(s"EXPLAIN SKIPPING $text", context))
      val expected = Right(shown(delegate.parsePlan("SELECT a::int, v:x FROM t WHERE s = 'it\\'s' AND n > 5")))
      assert(query("SELECT a::int, v:x FROM t WHERE s = :s AND n > :n", named("s" -> "it's", "n" -> 5)) === expected)
      assert(query("SELECT a::int, v:x FROM t WHERE s = ? AND n > ?", positional("it's", 5)) === expected)
      val unbound = intercept[AnalysisException](query("SELECT :x", named("y" -> 1)))
      assert(unbound.getCondition === "UNBOUND_SQL_PARAMETER")
    }

    test(s"a parameter without a value, over $name") {
      val outer = new ZOrderSqlParser(inner)
      val byName =
        intercept[AnalysisException](predicate("OPTIMIZE t WHERE a = :x ZORDER BY a", named("y" -> 1), outer))
      assert(byName.getCondition === "UNBOUND_SQL_PARAMETER" && byName.getMessageParameters.get("name") === "x")
      val byPlace =
        intercept[AnalysisException](predicate("OPTIMIZE t WHERE a = ? AND b = ? ZORDER BY a", positional(1), outer))
      assert(byPlace.getCondition === "UNBOUND_SQL_PARAMETER")
    }

    test(s"parameters in other statements, over $name") {
      val outer = new ZOrderSqlParser(inner)
      val byName = outer.parsePlanWithParameters("SELECT :x + 1, ':x'", named("x" -> 1))
      val byPlace = outer.parsePlanWithParameters("SELECT ? + 1, '?'", positional(1))
      // Places in the text may differ; names and values do not.
      assert(byName.canonicalized.treeString.contains("1 + 1") && byName.treeString.contains(":x"))
      assert(byPlace.canonicalized.treeString.contains("1 + 1") && byPlace.treeString.contains("?"))
    }
  }

  test("Spark's own parser takes parameters itself") {
    assumeKnownValues()
    val inner = new RecordingParser
    val context = named("x" -> 1)
    new ZOrderSqlParser(inner).parsePlanWithParameters("SELECT :x", context)
    assert(inner.withParameters === Seq("SELECT :x" -> context))
  }

  test("a parser that forgets parameters is given plain text") {
    assumeKnownValues()
    val inner = new ForgetfulParser(new RecordingParser)
    new ZOrderSqlParser(inner).parsePlanWithParameters("SELECT :x", named("x" -> 1))
    assert(inner.delegate.statements === Seq("SELECT 1"))
  }
}
