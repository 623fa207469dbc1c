// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import io.sparkzorder.TestedSpark
import io.sparkzorder.column.TableOrder
import io.sparkzorder.errors.ZOrderParseException
import io.sparkzorder.plan.TableProperties

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.SQLHelper
import org.apache.spark.sql.catalyst.plans.logical.{CompoundBody, LogicalPlan, SingleStatement}
import org.apache.spark.sql.execution.command.ExplainCommand

/** The clause SORT BY of CREATE and REPLACE TABLE: all else is as without it. */
class SortedTableSuite extends SparkFunSuite with SQLHelper {

  private val spark = new RecordingParser
  private val parsers = Seq(
    new ZOrderSqlParser(new RecordingParser),
    new ZOrderSqlParser(new ForgetfulParser(new RecordingParser)))

  private val values = NamedParameterContext(Map("c" -> Literal("s.x"), "n" -> Literal("it's")))

  private def withOrder(plan: LogicalPlan, columns: String, order: String): LogicalPlan =
    TableProperties.replace(
      plan,
      // The last one goes when the clause is checked.
      TableProperties.of(plan).get ++
        Map(TableOrder.Columns -> columns, TableOrder.Order -> order, "sort.clause" -> "unchecked")
    )

  /** The plan of a table whose name some Sparks do not know yet when they have parsed it, though it is a constant. */
  private def named(plan: LogicalPlan): LogicalPlan = plan.transform {
    case later: PlanWithUnresolvedIdentifier => later.planBuilder(Seq("t"), later.children)
  }

  private def properties(plan: LogicalPlan): (String, String) = {
    val found = TableProperties.of(plan).get
    (found(TableOrder.Columns), found(TableOrder.Order))
  }

  /** A statement, with `#` where the clause stands. */
  private def check(statement: String, clause: String, columns: String, order: String): Unit = {
    val text = statement.replace("#", clause)
    val withoutClause = spark.parsePlan(statement.replace("#", clause.replaceAll(".", " ")))
    val expected = withOrder(named(withoutClause), columns, order)
    for (parser <- parsers) {
      assert(named(parser.parsePlan(text)) === expected, text)
      assert(named(parser.parsePlanWithParameters(text, values)) === expected, text)
      parser.parsePlan(s"EXPLAIN EXTENDED $text") match {
        case explain: ExplainCommand => assert(named(explain.logicalPlan) === expected, text)
        case other => fail(s"$other")
      }
    }
  }

  private val statements = Seq(
    "CREATE TABLE t (a INT, b STRING, s STRUCT<x: INT>) #",
    "CREATE TABLE t (a INT) # USING parquet",
    "CREATE TABLE t (a INT) USING parquet # ;",
    "create table if not exists c.db.t (a int comment 'SORT BY (a)', sort int) using delta #",
    "CREATE OR REPLACE TABLE `SORT BY (a)` (`by` INT) USING delta #",
    "REPLACE TABLE t (a INT) USING delta PARTITIONED BY (a) #",
    "CREATE EXTERNAL TABLE t (a INT) STORED AS parquet # LOCATION '/x'",
    "CREATE TABLE t (a INT) # STORED AS parquet",
    "CREATE TABLE t (a INT) PARTITIONED BY (d DATE COMMENT 'SORT BY (a)') # STORED AS INPUTFORMAT 'i' OUTPUTFORMAT 'o'",
    "CREATE TABLE t (a INT) ROW FORMAT SERDE 's' WITH SERDEPROPERTIES ('a' = 'b') # STORED AS sequencefile",
    "CREATE TABLE t (a INT) ROW FORMAT DELIMITED MAP KEYS TERMINATED BY ':' NULL DEFINED AS 'n' # STORED AS textfile",
    "CREATE TABLE t (a INT) USING parquet CLUSTERED BY (a) SORTED BY (b) INTO 4 BUCKETS #",
    "CREATE TABLE t (a INT) USING delta CLUSTER BY (a) # COMMENT 'c'",
    "CREATE TABLE t (a INT) USING parquet DEFAULT COLLATION UTF8_LCASE #",
    "CREATE TABLE t (a INT) USING parquet COMMENT 'SORT BY ZORDER (a, b)' # LOCATION '/SORT BY (a)'",
    "CREATE TABLE t (a INT) USING parquet OPTIONS (sort 'by', x = array('SORT', 'BY')) # TBLPROPERTIES (sort.scope = 'global')",
    "CREATE TABLE t USING parquet # AS SELECT * FROM x SORT BY ZORDER (c, d)",
    "CREATE TABLE t # AS SELECT * FROM x SORT BY (c)",
    "CREATE TABLE t # SELECT a FROM x",
    "CREATE TABLE t USING parquet # WITH y AS (SELECT 1 SORT BY (1)) SELECT * FROM y",
    "CREATE TABLE t USING parquet # (SELECT a FROM x) SORT BY (c)",
    "CREATE TABLE t USING parquet # TABLE x SORT BY (c)",
    "CREATE TABLE t USING parquet PARTITIONED BY (p) # FROM x SELECT a SORT BY c",
    "CREATE OR REPLACE TABLE t USING delta # AS SELECT /* SORT BY (x) */ a FROM x",
    "CREATE TABLE IDENTIFIER('a.b') (a INT) USING parquet #",
    "-- SORT BY (a)\nCREATE TABLE t (a INT) -- SORT BY (b)\n USING parquet /* SORT BY (c) */ # /* and */ COMMENT 'd'",
    "/* \ud83d\ude00 \u00fc */ CREATE TABLE t (a INT) USING parquet COMMENT '\ud83d\ude00' # TBLPROPERTIES ('\ud83d\ude00' = 'x')",
    "CREATE TABLE sort (sort INT, by INT) # USING parquet"
  ) ++ (if (TestedSpark.isAtLeast("4.1")) ofLaterSparks else Nil)

  /** What Spark 4.0 does not read. */
  private lazy val ofLaterSparks = Seq(
    "CREATE TABLE t USING parquet PARTITIONED BY (p) COMMENT 'a' 'b' # FROM x SELECT a, sort SORT BY sort, by",
    "CREATE TABLE IDENTIFIER('a').b (a INT) USING parquet #",
    "CREATE TABLE IF NOT EXISTS a.IDENTIFIER('so' 'rt').`c` # USING parquet AS SELECT a FROM x SORT BY (a)"
  )

  test("wherever a clause may stand")(statements.foreach { statement =>
    check(statement, "SORT BY (a, b)", "a,b", "LEXICAL")
  })

  test("every form of the clause gives its columns and its order") {
    for ((clause, columns, order) <- Seq(
        ("SORT BY (a)", "a", "LEXICAL"),
        ("sort by lexical (a, b)", "a,b", "LEXICAL"),
        ("SORT BY ZORDER(a,b)", "a,b", "ZORDER"),
        ("SORT\tBY\nZORDER\n( a ,\n b )", "a,b", "ZORDER"),
        ("SORT /* ( */ BY -- (c)\n ZORDER (a /* ) */, b)", "a,b", "ZORDER"),
        ("SORT BY ZORDER (s.x, `a b`, `c.d`, `e,f`)", "s.x,`a b`,`c.d`,`e,f`", "ZORDER"),
        ("SORT BY (`\u00fc`, `\ud83d\ude00`)", "`\u00fc`,`\ud83d\ude00`", "LEXICAL"),
        ("SORT BY (zorder, lexical, sort, by)", "zorder,lexical,sort,by", "LEXICAL"),
        ("SORT BY (IDENTIFIER('s.x'), b)", "s.x,b", "LEXICAL"),
        ("SORT BY (IDENTIFIER('s').x, s.IDENTIFIER('y' 'z'))", "s.x,s.yz", "LEXICAL")
      )) {
      check("CREATE TABLE t (a INT) USING parquet # COMMENT 'c'", clause, columns, order)
      check("CREATE TABLE t USING parquet # AS SELECT a FROM x", clause, columns, order)
      val back = TableOrder.of("t", Map(TableOrder.Columns -> columns, TableOrder.Order -> order)).get
      assert(TableOrder.properties(back.columns, back.isZOrder)(TableOrder.Columns) === columns)
    }
  }

  test("parameters, in the clause and beside it") {
    assume(ParametersOfTests.areKnownToParsers, "This Spark parses without the values of parameters")
    for (parser <- parsers) {
      val text = "CREATE TABLE t (a INT) USING parquet COMMENT :n SORT BY ZORDER (IDENTIFIER(:c), b)"
      val plan = parser.parsePlanWithParameters(text, values)
      assert(properties(plan) === (("s.x,b", "ZORDER")))
      assert(TableProperties.spec(plan).get.comment === Some("it's"))
      val byPlace = parser.parsePlanWithParameters(
        "CREATE TABLE t USING parquet SORT BY (a) COMMENT ? AS SELECT ? AS a",
        PositionalParameterContext(Seq(Literal("x"), Literal(2))))
      assert(TableProperties.spec(byPlace).get.comment === Some("x"))
    }
  }

  test("variables stand for words of the statement and for its clause") {
    withSQLConf("the.order" -> "SORT BY ZORDER (a, b)", "the.verb" -> "CREATE") {
      for (parser <- parsers)
        assert(properties(parser.parsePlan("${the.verb} TABLE t (a INT, b INT) ${the.order}")) === (("a,b", "ZORDER")))
    }
  }

  test("a name that is known when the statement is analyzed") {
    for (parser <- parsers)
      parser.parsePlan("CREATE TABLE IDENTIFIER(lower('T')) (a INT, b INT) SORT BY (b)") match {
        case named: PlanWithUnresolvedIdentifier =>
          assert(properties(named.planBuilder(Seq("t"), Nil)) === (("b", "LEXICAL")))
        // There the name alone is left open.
        case table if !TestedSpark.isAtLeast("4.1") => assert(properties(table) === (("b", "LEXICAL")))
        case other => fail(s"$other")
      }
  }

  test("in scripts, between other statements") {
    assume(TestedSpark.isAtLeast("4.1"), "Scripts are behind a setting there, and have fewer statements")
    val script = """BEGIN
      |  DECLARE x INT DEFAULT 1; -- SORT BY (a)
      |  CREATE TABLE t (a INT, b INT) USING parquet SORT BY ZORDER (a, b);
      |  IF x = 1 THEN CREATE OR REPLACE TABLE u USING delta SORT BY (b) AS SELECT 1 AS b SORT BY (c); END IF;
      |  CREATE TABLE v USING parquet AS SELECT 1 AS a SORT BY (a);
      |  OPTIMIZE t ZORDER;
      |END""".stripMargin
    for (parser <- parsers) {
      val body = parser.parsePlan(script).asInstanceOf[CompoundBody]
      val plans = body.collection.collect { case s: SingleStatement => s }
      val created = plans.filter(s => TableProperties.of(s.parsedPlan).isDefined)
      assert(properties(created.head.parsedPlan) === (("a,b", "ZORDER")))
      assert(created.head.origin.sqlText.get.substring(created.head.origin.startIndex.get).startsWith("CREATE TABLE t"))
      assert(TableProperties.of(created(1).parsedPlan).get.isEmpty)
      assert(body.toString.contains("IfElse") || body.collection.size === 6)
    }
  }

  // Mistakes

  private def refused(text: String): ParseException = {
    val errors = parsers.flatMap { parser =>
      Seq(
        intercept[ParseException](parser.parsePlan(text)),
        intercept[ParseException](parser.parsePlanWithParameters(text, values)))
    }
    errors.foreach(e => assert(e.command === Some(text), e.getMessage))
    assert(errors.map(e => (e.getCondition, e.start.line, e.start.startPosition)).distinct.size === 1, errors)
    errors.head
  }

  /** Our own errors, with their place. */
  private def refused(text: String, condition: String, state: String, parameters: (String, String)*): Unit = {
    val e = refused(text)
    assert(e.isInstanceOf[ZOrderParseException])
    checkError(e, condition, Some(state), parameters.toMap)
    assert((e.start.line, e.start.startPosition) === ((Some(2), Some(3))), e.getMessage)
    assert(e.getMessage.startsWith(s"[$condition]") && e.getMessage.contains("(line 2, pos 3)"), e.getMessage)
  }

  test("no column") {
    for (clause <- Seq("SORT BY ()", "SORT BY ZORDER ()", "sort by lexical ( )"))
      refused(s"CREATE TABLE t (a INT)\n   $clause USING parquet", "ZORDER_SORT_WITHOUT_COLUMN", "42601")
  }

  test("the properties beside the clause") {
    for (property <- Seq("sort.columns", "sort.order"))
      refused(
        s"CREATE TABLE t (a INT, b INT) USING parquet\n   SORT BY ZORDER (a, b) TBLPROPERTIES ('$property' = 'a')",
        "ZORDER_SORT_AND_PROPERTY",
        "42613",
        "property" -> property,
        "clause" -> "SORT BY ZORDER (a, b)"
      )
    parsers.foreach(
      _.parsePlan("CREATE TABLE t (a INT) SORT BY (a) TBLPROPERTIES (sort.scope = 'global', sort.key = 'raw')"))
  }

  test("a column that is computed") {
    refused(
      "CREATE TABLE t (a INT) SORT BY (b,\n   IDENTIFIER(lower('A')))",
      "ZORDER_SORT_COMPUTED_NAME",
      "42601",
      "expression" -> "IDENTIFIER(lower('A'))")
    for (parser <- parsers; if ParametersOfTests.areKnownToParsers) {
      val text = "CREATE TABLE t (a INT) SORT BY (IDENTIFIER(:x))"
      val e = intercept[AnalysisException](parser.parsePlanWithParameters(text, values))
      assert(e.getCondition === "UNBOUND_SQL_PARAMETER" && e.getMessageParameters.get("name") === "x")
    }
  }

  test("the clause twice") {
    val e = refused("CREATE TABLE t (a INT)\n SORT BY (a) COMMENT 'c'\n   SORT BY (a)")
    assert(e.getCondition === "DUPLICATE_CLAUSES" && e.start.line === Some(3) && e.start.startPosition === Some(3))
  }

  test("slips show their place, in the clause and beside it") {
    for ((text, line, position) <- Seq(
        ("CREATE TABLE t (a INT)\n SORT BY a", 2, 9),
        ("CREATE TABLE t (a INT)\n SORT BY ZORDER a, b", 2, 16),
        ("CREATE TABLE t (a INT)\n SORT BY (a DESC) USING parquet", 2, 12),
        ("CREATE TABLE t (a INT)\n SORT BY ('a')", 2, 10),
        ("CREATE TABLE t (a INT)\n SORT BY (a,)", 2, 12),
        ("CREATE TABLE t (a INT)\n SORT BY (a) USING parquet LOCATION\n 1", 3, 1),
        ("CREATE TABLE t SORT BY (a)\n AS SELECT 1 +", 2, 14),
        ("/* \ud83d\ude00 */ CREATE TABLE t SORT BY (a) /* \ud83d\ude00 */\n AS SELEC 1", 2, 4),
        ("CREATE TEMPORARY TABLE t\n SORT BY (a) USING parquet OPTIONS (a 'b')", 2, 1)
      )) {
      val e = refused(text)
      assert((e.start.line, e.start.startPosition) === ((Some(line), Some(position))), e.getMessage)
      assert(e.getSqlState === "42601" || text.contains("TEMPORARY"), e.getMessage)
    }
  }

  test("a slip in a script shows its place in the script") {
    assume(TestedSpark.isAtLeast("4.1"), "Scripts are behind a setting there")
    for (parser <- parsers) {
      val text = "BEGIN\n  SELECT 1;\n  CREATE TABLE t (a INT)\n   SORT BY ();\nEND"
      val e = intercept[ParseException](parser.parsePlan(text))
      assert(e.getCondition === "ZORDER_SORT_WITHOUT_COLUMN" && e.start.line === Some(4) && e.command === Some(text))
    }
  }
}
