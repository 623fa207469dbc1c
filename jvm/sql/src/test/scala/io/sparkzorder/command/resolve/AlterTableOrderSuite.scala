// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.{LongSuite, TestedSpark}

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.delta.DeltaOperations

/** Statements that set, use and end the order of a table that there is, and that change its columns. */
class AlterTableOrderSuite extends QueryTest with TableOrderSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "columns of the order cannot be renamed or dropped"
  )

  for (format <- formats) {

    test(s"ALTER TABLE sets the order and ends it, $format") {
      withSorted(format, "TBLPROPERTIES ('other' = 'x')") {
        sql("ALTER TABLE t SORT BY ZORDER (a, S.x, `x,y`)")
        assert(properties("t") === order("A,s.X,`x,y`", "ZORDER"))
        sql("ALTER TABLE t SET TBLPROPERTIES ('sort.scope' = 'global', 'sort.key' = 'raw')")
        sql("ALTER TABLE default.t SORT BY (t.ID)")
        assert(properties("t") === order("id", "LEXICAL") ++ Map("sort.scope" -> "global", "sort.key" -> "raw"))
        sql("ALTER TABLE spark_catalog.default.t SORT BY ()")
        assert(properties("t").isEmpty)
        sql("ALTER TABLE t SORT BY ZORDER ()")
        sql("EXPLAIN ALTER TABLE t SORT BY (id)").collect()
        assert(properties("t").isEmpty && sql("SHOW TBLPROPERTIES t ('other')").head().getString(1) === "x")
        sql("ALTER TABLE t SET TBLPROPERTIES ('sort.columns' = 'ID,a', 'sort.order' = 'ZOrder')")
        assert(properties("t") === order("id,A", "ZORDER"))
        sql("DECLARE OR REPLACE VARIABLE which STRING DEFAULT 't'")
        try spark.sql(
            "ALTER TABLE IDENTIFIER(which) SORT BY (IDENTIFIER(:c), IDENTIFIER(lower('B')))",
            Map("c" -> "s.x"))
        finally sql("DROP TEMPORARY VARIABLE which")
        assert(properties("t") === order("s.X,b", "LEXICAL"))
        sql("BEGIN ALTER TABLE t SORT BY (a); ALTER TABLE t SORT BY ZORDER (a, b); END")
        assert(properties("t") === order("A,b", "ZORDER"))
      }
    }

    test(s"OPTIMIZE ... ZORDER without BY, $format") {
      withTable("t") {
        createTable("t0", events(200))
        try sql(s"CREATE TABLE t USING $format PARTITIONED BY (day) AS SELECT * FROM t0")
        finally sql("DROP TABLE t0")
        refused("OPTIMIZE t ZORDER", "ZORDER_NO_TABLE_ORDER", "42601", "example" -> "id, a")
        sql("ALTER TABLE t SORT BY (a, b)")
        refused("OPTIMIZE t ZORDER", "ZORDER_LEXICAL_TABLE_ORDER", "42601", "columns" -> "a, b")
        def clustered(statement: String): Seq[String] = {
          val result = keepingRows("t")(sql(statement).head())
          result.getSeq[org.apache.spark.sql.Row](2).map(_.getString(0))
        }
        sql("ALTER TABLE t SORT BY ZORDER (a, b)")
        assert(clustered("OPTIMIZE t ZORDER OPTIONS (force = true) DRY RUN") === Seq("a", "b"))
        assert(clustered("OPTIMIZE t WHERE day = '2024-01-01' ZORDER OPTIONS (force = true)") === Seq("a", "b"))
        assert(clustered("OPTIMIZE t ZORDER OPTIONS (mode = 'full', force = true)") === Seq("a", "b"))
        sql("ALTER TABLE t SORT BY (c)")
        assert(clustered("OPTIMIZE t ZORDER OPTIONS (force = true)") === Seq("c"))
        assert(clustered("OPTIMIZE t ZORDER BY (a) OPTIONS (force = true)") === Seq("a"))
      }
    }
  }

  test("columns go from a table whose order another program has set to a kind that there is not") {
    withTable("t") {
      sql("CREATE TABLE t (a INT, b INT, c INT) USING delta SORT BY (a)")
      log("t").withNewTransaction(None) { transaction =>
        val metadata = transaction.metadata
        val configuration = metadata.configuration + ("sort.order" -> "RANDOM")
        transaction.commit(Seq(metadata.copy(configuration = configuration)), DeltaOperations.ManualUpdate)
      }
      sql("ALTER TABLE t DROP COLUMN b")
      sql("ALTER TABLE t RENAME COLUMN c TO d")
      refused(
        "ALTER TABLE t DROP COLUMN A",
        "ZORDER_SORT_COLUMN_IN_USE",
        "2BP01",
        "column" -> "a",
        "order" -> "SORT BY RANDOM (a)")
      refused("ALTER TABLE t CLUSTER BY (d)", "ZORDER_SORT_AND_CLUSTERING", "42613")
    }
  }

  test("names of which parts are texts") {
    assume(TestedSpark.isAtLeast("4.1"), "Spark 4.0 takes a text for a whole name only")
    withTable("t") {
      sql("CREATE TABLE IDENTIFIER('default').t (a INT, s STRUCT<x: INT>) USING parquet SORT BY (IDENTIFIER('s').x)")
      assert(properties("t") === order("s.x", "LEXICAL"))
      spark.sql(
        "ALTER TABLE spark_catalog.IDENTIFIER(:db).IDENTIFIER('T') SORT BY ZORDER (s.IDENTIFIER('X'), a)",
        Map("db" -> "default"))
      assert(properties("t") === order("s.x,a", "ZORDER"))
      assert(sql("OPTIMIZE IDENTIFIER('spark_catalog.default').t ZORDER DRY RUN").count() === 1)
    }
  }

  test("columns of the order cannot be renamed or dropped") {
    withTable("t") {
      sql("CREATE TABLE t (a INT, b INT, s STRUCT<x: INT, y: INT>, d INT) USING delta SORT BY ZORDER (A, s.x)")
      def inUse(statement: String, column: String, name: String): Unit = refused(
        s"ALTER TABLE t $statement",
        "ZORDER_SORT_COLUMN_IN_USE",
        "2BP01",
        "statement" -> s"ALTER TABLE ... $name",
        "column" -> column,
        "table" -> "default.t",
        "order" -> "SORT BY ZORDER (a, s.x)"
      )
      inUse("RENAME COLUMN A TO z", "a", "RENAME COLUMN")
      inUse("RENAME COLUMN s.X TO z", "s.x", "RENAME COLUMN")
      inUse("RENAME COLUMN s TO z", "s.x", "RENAME COLUMN")
      inUse("DROP COLUMN a", "a", "DROP COLUMN")
      inUse("DROP COLUMNS (b, s)", "s.x", "DROP COLUMN")
      inUse("DROP COLUMN IF EXISTS s.x", "s.x", "DROP COLUMN")
      inUse("REPLACE COLUMNS (a INT, b INT)", "s.x", "REPLACE COLUMNS")
      sql("ALTER TABLE t RENAME COLUMN b TO B2")
      sql("ALTER TABLE t RENAME COLUMN s.y TO z")
      sql("ALTER TABLE t DROP COLUMN d")
      sql("ALTER TABLE t ADD COLUMN e INT")
      assert(properties("t") === order("a,s.x", "ZORDER"))
      sql("ALTER TABLE t SORT BY ()")
      sql("ALTER TABLE t RENAME COLUMN a TO a2")
      sql("ALTER TABLE t SORT BY (a2)")
      assert(properties("t") === order("a2", "LEXICAL"))
    }
    withSorted("parquet", "SORT BY (a)") {
      for (statement <- Seq("RENAME COLUMN A TO z", "DROP COLUMN A"))
        assert(intercept[AnalysisException](sql(s"ALTER TABLE t $statement")).getCondition
          .startsWith("UNSUPPORTED_FEATURE"))
    }
  }
}
