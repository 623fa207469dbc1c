// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.{AfterDelta, BeforeDelta, BesideDelta, LongSuite, LongTest}
import io.sparkzorder.column.TableOrder

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.catalyst.parser.ParseException

/** SORT BY beside Delta's extension, whose parser reads first or last. */
abstract class SortByWithDeltaSuite extends QueryTest with BesideDelta {

  private def order(table: String): Seq[String] = {
    val properties =
      sql(s"SHOW TBLPROPERTIES $table").collect().map(r => r.getString(0) -> r.getString(1)).toMap
    assert(properties.keySet.filter(_.startsWith("sort.")).subsetOf(TableOrder.PropertyNames.toSet), properties)
    Seq("sort.columns", "sort.order").flatMap(properties.get)
  }

  private def condition(statement: String): String = intercept[AnalysisException](sql(statement)).getCondition

  test("tables of both formats, created, altered, copied and optimized") {
    for (format <- Seq("parquet", "delta")) withTable("t", "u", "v") {
      sql(s"CREATE TABLE t (a INT, b INT, c INT) USING $format COMMENT 'SORT BY (x)' SORT BY ZORDER (B, a)")
      assert(order("t") === Seq("b,a", "ZORDER"))
      sql(s"CREATE TABLE u USING $format SORT BY (x) AS SELECT id AS x, id AS y FROM range(9) SORT BY (y)")
      assert(order("u") === Seq("x", "LEXICAL") && spark.table("u").count() === 9)
      sql("CREATE TABLE v LIKE t")
      assert(order("v") === Seq("b,a", "ZORDER"))
      assert(
        condition("CREATE TABLE w LIKE t TBLPROPERTIES ('sort.scope' = 'locl')") === "ZORDER_INVALID_TABLE_PROPERTY")
      sql("ALTER TABLE t SORT BY (c)")
      assert(order("t") === Seq("c", "LEXICAL"))
      sql("ALTER TABLE u SORT BY ZORDER (x, y)")
      assert(sql("OPTIMIZE u ZORDER").columns.contains("layout"))
      assert(sql("OPTIMIZE u ZORDER DRY RUN").count() === 1)
      sql("ALTER TABLE t SORT BY ()")
      assert(order("t").isEmpty)
      sql("CREATE OR REPLACE TABLE w (a INT) USING delta SORT BY (IDENTIFIER('A'))")
      assert(order("w") === Seq("a", "LEXICAL"))
      sql("DROP TABLE w")
    }
  }

  test("OPTIMIZE with a predicate, which Delta's parser takes for the whole rest", LongTest) {
    withTable("t") {
      sql("CREATE TABLE t USING delta PARTITIONED BY (zorder) SORT BY ZORDER (a, b) AS " +
        "SELECT id AS a, id AS b, id % 2 AS zorder FROM range(20)")
      assert(sql("OPTIMIZE t WHERE zorder = 1 ZORDER").columns.contains("layout"))
      assert(sql("OPTIMIZE t WHERE zorder = 1 ZORDER DRY RUN").columns.contains("layout"))
      assert(!sql("OPTIMIZE t WHERE 1 = zorder").columns.contains("layout"))
    }
  }

  test("beside CLUSTER BY, in scripts, and what is refused", LongTest) {
    withTable("t", "u") {
      sql("CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a)")
      assert(condition("CREATE TABLE u (a INT, b INT) USING delta CLUSTER BY (a) SORT BY (b)") ===
        "ZORDER_SORT_AND_CLUSTERING")
      assert(condition("CREATE TABLE u (a INT, b INT) USING delta SORT BY (b) CLUSTER BY (a)") ===
        "ZORDER_SORT_AND_CLUSTERING")
      assert(condition("ALTER TABLE t SORT BY (b)") === "ZORDER_SORT_AND_CLUSTERING")
      sql("BEGIN CREATE TABLE u (a INT, b INT) USING delta SORT BY (b); ALTER TABLE u SORT BY ZORDER (a, b); END")
      assert(order("u") === Seq("a,b", "ZORDER"))
      assert(condition("ALTER TABLE u CLUSTER BY (a)") === "ZORDER_SORT_AND_CLUSTERING")
      assert(condition("ALTER TABLE u DROP COLUMN b") === "ZORDER_SORT_COLUMN_IN_USE")
      val empty = intercept[ParseException](sql("CREATE TABLE v (a INT) USING delta\n SORT BY ()"))
      assert(empty.getCondition === "ZORDER_SORT_WITHOUT_COLUMN" && empty.start.line === Some(2))
      val slip = intercept[ParseException](sql("CREATE TABLE v (a INT) USING delta SORT BY (a)\n LOCATION 1"))
      assert(slip.getCondition === "PARSE_SYNTAX_ERROR" && slip.start.line === Some(2))
    }
  }
}

class SortByBeforeDeltaSuite extends SortByWithDeltaSuite with BeforeDelta with LongSuite

class SortByAfterDeltaSuite extends SortByWithDeltaSuite with AfterDelta with LongSuite
