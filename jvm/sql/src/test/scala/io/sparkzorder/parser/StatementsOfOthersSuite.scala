// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parser

import org.apache.spark.{SparkFunSuite, SparkThrowable}
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.execution.SparkSqlParser

/** Statements that are Spark's and no clause of which is ours: the plan, or the error, is the same with our parser. */
class StatementsOfOthersSuite extends SparkFunSuite {

  private val spark = new SparkSqlParser
  private val ours = new ZOrderSqlParser(new SparkSqlParser)

  /** Clauses of CREATE TABLE, in the names and values of which are the words of ours. */
  private val clauses = Seq(
    "USING parquet",
    "USING org.apache.spark.sql.sort",
    "STORED AS parquet",
    "STORED AS INPUTFORMAT 'sort by' OUTPUTFORMAT 'zorder (a)'",
    "STORED AS INPUTFORMAT 'in' OUTPUTFORMAT 'out' ROW FORMAT SERDE 'SORT BY' WITH SERDEPROPERTIES ('sort' = 'by')",
    "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' MAP KEYS TERMINATED BY ':' NULL DEFINED AS 'SORT BY (a)'",
    "STORED BY 'handler' WITH SERDEPROPERTIES ('sort by' = 'zorder')",
    "PARTITIONED BY (sort, zorder)",
    "PARTITIONED BY (years(sort), bucket(16, by))",
    "PARTITIONED BY (sort STRING COMMENT 'SORT BY (a)')",
    "CLUSTERED BY (a) SORTED BY (sort DESC, b) INTO 4 BUCKETS",
    "CLUSTERED BY (sort) INTO 4 BUCKETS",
    "CLUSTER BY (sort, s.by)",
    "COMMENT 'SORT BY ZORDER (a, b)'",
    "COMMENT \"SORT BY (a)\" ' and SORT BY ZORDER (b)'",
    "LOCATION '/tmp/SORT BY (a)'",
    "OPTIONS (sort = 'by', 'SORT BY' 'ZORDER (a)')",
    "OPTIONS (x = array('SORT', 'BY'))",
    "TBLPROPERTIES (sort.columns = 'a', 'sort.order' = 'ZORDER')",
    "TBLPROPERTIES ('SORT BY' = '(a)', sort 'by')",
    "DEFAULT COLLATION UTF8_LCASE",
    "COMMENT 'x' LOCATION '/tmp/x' TBLPROPERTIES (a = 1) OPTIONS (b = 2)"
  )

  private val heads = Seq(
    "CREATE TABLE t (a INT, sort STRING COMMENT 'SORT BY (a)', s STRUCT<by: INT>)",
    "CREATE TABLE IF NOT EXISTS db.sort (by INT NOT NULL, `SORT BY (a)` INT DEFAULT 1)",
    "CREATE OR REPLACE TABLE `SORT BY`.`ZORDER (a)` (a INT)",
    "REPLACE TABLE c.db.t (a INT, b INT GENERATED ALWAYS AS (a + 1))"
  )

  private val queries = Seq(
    "SELECT a, b FROM x SORT BY a, b",
    "SELECT * FROM x SORT BY (a)",
    "SELECT * FROM x DISTRIBUTE BY a SORT BY zorder(a, b) LIMIT 1",
    "SELECT /*+ REPARTITION(3) */ a FROM x SORT BY lexical (a)",
    "WITH y AS (SELECT 1 a SORT BY a) SELECT * FROM y SORT BY (a, 1)",
    "FROM x SELECT a SORT BY a",
    "TABLE x SORT BY (a)",
    "VALUES (1, 2), (3, 4) SORT BY (col1)",
    "(SELECT 1 AS a) SORT BY (a)",
    "((SELECT 1 AS a) UNION ALL (SELECT 2 SORT BY 1)) SORT BY a",
    "MAP (a) USING 'cat' AS (b) FROM x SORT BY b",
    "SELECT TRANSFORM (a) USING 'cat' AS (b) FROM (SELECT * FROM x SORT BY (a)) SORT BY (b)",
    "SELECT sort, by FROM sort WHERE sort = 'SORT BY (a)'",
    "SELECT CASE WHEN a THEN b ELSE c END FROM x SORT BY (c)"
  )

  private val creates: Seq[String] =
    (for (head <- heads; clause <- clauses) yield s"$head $clause") ++
      (for (query <- queries; as <- Seq("AS ", "")) yield s"CREATE TABLE t USING parquet $as$query") ++
      (for (query <- queries; as <- Seq("AS ", "")) yield s"CREATE TABLE t $as$query") ++
      queries.map(q => s"CREATE OR REPLACE TABLE t USING delta PARTITIONED BY (a) TBLPROPERTIES ('a' = 'b') AS $q") ++
      queries.map(q => s"CREATE TABLE IDENTIFIER('a' || 'b') STORED AS orc AS $q")

  private val others = Seq(
    "CREATE TABLE t LIKE sort",
    "CREATE TABLE t LIKE sort USING parquet LOCATION '/tmp/SORT BY (a)' TBLPROPERTIES ('sort.columns' = 'a')",
    "CREATE TABLE t (SELECT a, b FROM x) SORT BY (a)",
    "CREATE TABLE t (SELECT a FROM x SORT BY a)",
    "CREATE TABLE t (select int, b int) SORT BY (b)",
    "CREATE TABLE t (WITH y AS (SELECT 1 a) SELECT * FROM y) SORT BY ZORDER (a, 1)",
    "CREATE TABLE t USING parquet (SELECT a FROM x) SORT BY (a)",
    "CREATE TABLE t PARTITIONED BY (a) (SELECT a FROM x SORT BY b) SORT BY a",
    "CREATE VIEW v AS SELECT * FROM x SORT BY (a)",
    "CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM x SORT BY ZORDER (a, b)",
    "CREATE TEMPORARY VIEW sort USING parquet OPTIONS (path 'SORT BY (a)')",
    "CREATE TEMPORARY TABLE sort USING parquet OPTIONS (path 'SORT BY (a)')",
    "CREATE VIEW v TBLPROPERTIES ('sort.columns' = 'a') AS SELECT 1 AS a",
    "CREATE DATABASE sort COMMENT 'SORT BY (a)'",
    "CREATE FUNCTION sort AS 'SORT.BY'",
    "CREATE FUNCTION f(a INT) RETURNS INT RETURN (SELECT max(a) FROM x SORT BY (1))",
    "CREATE INDEX sort ON TABLE t USING by (a)",
    "ALTER TABLE t RENAME COLUMN sort TO by",
    "ALTER TABLE t RENAME TO sort",
    "ALTER TABLE sort DROP COLUMN by",
    "ALTER TABLE t DROP COLUMNS (sort, by)",
    "ALTER TABLE t ADD COLUMNS (sort INT COMMENT 'SORT BY (a)' FIRST)",
    "ALTER TABLE sort ADD COLUMN by INT AFTER zorder",
    "ALTER TABLE t REPLACE COLUMNS (sort INT, by INT)",
    "ALTER TABLE t ALTER COLUMN sort TYPE BIGINT",
    "ALTER TABLE t ALTER COLUMN sort COMMENT 'SORT BY (a)'",
    "ALTER TABLE t CHANGE COLUMN sort by INT",
    "ALTER TABLE t SET TBLPROPERTIES ('sort.columns' = 'a,b', 'sort.order' = 'ZORDER')",
    "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('sort.columns', sort.order)",
    "ALTER TABLE t SET LOCATION 'SORT BY (a)'",
    "ALTER TABLE t PARTITION (sort = 'SORT BY (a)') SET LOCATION '/x'",
    "ALTER TABLE t ADD IF NOT EXISTS PARTITION (sort = 'by')",
    "ALTER TABLE t DROP PARTITION (sort = 'SORT BY')",
    "ALTER TABLE t SET SERDEPROPERTIES ('sort' = 'by')",
    "ALTER TABLE t CLUSTER BY (sort, by)",
    "ALTER TABLE t CLUSTER BY NONE",
    "ALTER TABLE t ADD CONSTRAINT sort CHECK (by > 0)",
    "ALTER TABLE t RECOVER PARTITIONS",
    "ALTER VIEW v AS SELECT * FROM x SORT BY (a)",
    "ALTER VIEW v SET TBLPROPERTIES ('sort.columns' = 'a')",
    "INSERT INTO t SELECT * FROM x SORT BY (a, b)",
    "INSERT OVERWRITE TABLE t PARTITION (sort = 'SORT BY', by) SELECT * FROM x SORT BY ZORDER (a, b)",
    "INSERT INTO sort (by, zorder) VALUES (1, 'SORT BY ZORDER (a)')",
    "INSERT INTO t REPLACE WHERE a = 1 SELECT * FROM x SORT BY a",
    "FROM x INSERT INTO t SELECT a SORT BY a INSERT INTO u SELECT b SORT BY (b)",
    "INSERT OVERWRITE DIRECTORY '/x' USING parquet SELECT * FROM x SORT BY (a)",
    "SELECT * FROM t SORT BY ZORDER (a, b)",
    "SELECT * FROM t CLUSTER BY (a)",
    "SELECT 'CREATE TABLE t (a INT) SORT BY (a)'",
    "SELECT `SORT BY (a)` FROM `CREATE TABLE t`",
    "SELECT sort_array(a) AS sort, array_sort(b) AS by FROM t",
    "FROM t |> ORDER BY a |> WHERE b",
    "MERGE INTO t USING (SELECT * FROM s SORT BY (a)) s ON t.a = s.a WHEN MATCHED THEN UPDATE SET sort = by",
    "UPDATE t SET sort = 'SORT BY (a)'",
    "DELETE FROM sort WHERE by = 'SORT BY ZORDER (a)'",
    "EXPLAIN CREATE TABLE t AS SELECT * FROM x SORT BY (a)",
    "EXPLAIN EXTENDED CREATE TABLE t USING parquet TABLE x SORT BY (a)",
    "EXPLAIN SELECT * FROM t SORT BY (a)",
    "CACHE TABLE sort AS SELECT * FROM x SORT BY (a)",
    "DESCRIBE QUERY SELECT * FROM x SORT BY (a)",
    "SHOW CREATE TABLE sort",
    "SET sort = CREATE TABLE t (a INT) SORT BY (a)",
    "DROP TABLE sort",
    "TRUNCATE TABLE sort",
    "DECLARE sort INT DEFAULT 1",
    "EXECUTE IMMEDIATE 'CREATE TABLE t (a INT) SORT BY (a)'",
    "COMMENT ON TABLE sort IS 'SORT BY (a)'",
    "BEGIN CREATE TABLE t AS SELECT * FROM x SORT BY (a); SELECT 1 SORT BY (1); END",
    "BEGIN DECLARE sort INT; IF sort = 1 THEN CREATE TABLE t USING parquet AS TABLE x SORT BY (a); END IF; END",
    "BEGIN DECLARE optimize INT; SELECT CASE WHEN true THEN optimize END; END",
    "BEGIN FOR r AS SELECT * FROM x SORT BY (a) DO INSERT INTO t VALUES (r.a); END FOR; END"
  )

  /** What no parser understands: the error is Spark's own. */
  private val mistakes = Seq(
    "CREATE TABLE",
    "CREATE TABLE t (a INT",
    "CREATE TABLE t (a INT)) SORT BY (a",
    "CREATE TABLE t SORTED BY (a)",
    "CREATE TABLE t (a INT) ORDER BY (a)",
    "CREATE TABLE t AS SELEC * FROM x SORT BY (a)",
    "CREATE TABLE t USING parquet AS SELECT a FRM x y SORT BY (a)",
    "CREATE TABLE t LIKE x SORT BY (a)",
    "CREATE VIEW v SORT BY (a) AS SELECT 1",
    "ALTER TABLE t NOT SORTED",
    "REPLACE t (a INT) SORT BY (a)",
    "CREATE TABLE t USING sort by (a)"
  )

  private val all = creates ++ others

  private def shown(plan: LogicalPlan): String = plan.treeString(verbose = true, maxFields = 1000)
    .replaceAll("#\\d+", "#").replaceAll("\\$\\$Lambda\\S*|@[0-9a-f]+|[0-9a-f]{8}(-[0-9a-f]{4,12}){4}", "")

  private type Read = Either[(String, Option[Int], Option[Int], Map[String, String]), LogicalPlan]

  private def read(parse: => LogicalPlan): Read =
    try Right(parse)
    catch {
      case e: ParseException => Left((e.getCondition, e.start.line, e.start.startPosition, e.messageParameters))
      // Scripts, on a Spark where they are behind a setting.
      case e: SparkThrowable if e.getCondition == "UNSUPPORTED_FEATURE.SQL_SCRIPTING" =>
        Left((e.getCondition, None, None, Map.empty))
    }

  /** Fails unless ours reads what Spark reads. Some plans hold functions or ids, and are not the same twice. */
  private def same(text: String, parse: ParserInterface => LogicalPlan): Unit = {
    val (expected, again, found) = (read(parse(spark)), read(parse(spark)), read(parse(ours)))
    if (expected == again) assert(found === expected, text) else assert(found.map(shown) === expected.map(shown), text)
  }

  private def same(text: String): Unit = {
    same(text, _.parsePlan(text))
    same(text, _.parsePlanWithParameters(text, NamedParameterContext(Map("x" -> Literal(1)))))
  }

  test("there are more than 200 of them, and Spark reads nearly all") {
    assert(all.distinct.size > 200)
    val refused = all.filter(text => read(spark.parsePlan(text)).isLeft)
    assert(refused.size < all.size / 10, refused.mkString("\n"))
  }

  test("CREATE TABLE with any of Spark's clauses, and any query")(creates.foreach(same))

  test("all other statements")(others.foreach(same))

  test("with comments in between") {
    all.foreach(text =>
      same(s"-- SORT BY (a)\n/* SORT BY ZORDER (a, b) */ ${text.replaceFirst(" ", " /* SORT BY (a) */ ")}"))
  }

  test("with other white space, in lower case and at the end of it all a semicolon") {
    all.foreach(text => same(s"\n\t ${text.replaceFirst(" ", "\n\t\r\n ")} ; "))
    all.filterNot(_.contains('\'')).foreach(text => same(text.toLowerCase))
  }

  test("with characters of two code units in front") {
    all.foreach(text => same(s"/* \ud83d\ude00\ud83d\ude00 \u00fcber */ $text"))
  }

  test("mistakes are reported as Spark does")(mistakes.foreach(same))
}
