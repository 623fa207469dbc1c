// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.LongSuite

import org.apache.spark.sql.QueryTest

/** Statements that create a table with an order: they keep it, show it and copy it. */
class CreateTableOrderSuite extends QueryTest with TableOrderSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "CREATE TABLE stores the order in the table's spelling, parquet",
    "CREATE TABLE ... LIKE takes the order over, parquet",
    "what CREATE TABLE ... LIKE sets is checked, delta",
    "what SHOW CREATE TABLE prints makes the same table"
  )

  for (format <- formats) {

    test(s"CREATE TABLE stores the order in the table's spelling, $format") {
      for ((clause, expected) <- Seq(
          "SORT BY (a)" -> order("A", "LEXICAL"),
          "SORT BY LEXICAL (B, ID)" -> order("b,id", "LEXICAL"),
          "SORT BY ZORDER (a, S.x)" -> order("A,s.X", "ZORDER"),
          "SORT BY ZORDER (`x,y`, c, `P.Q`)" -> order("`x,y`,c,`p.q`", "ZORDER"),
          "TBLPROPERTIES ('sort.columns' = 'a, ID', 'sort.order' = 'zorder')" -> order("A,id", "ZORDER"),
          "TBLPROPERTIES ('sort.columns' = 'B')" -> order("b", "LEXICAL"),
          "TBLPROPERTIES ('sort.columns' = '')" -> Map("sort.columns" -> ""),
          "TBLPROPERTIES ('sort.order' = 'ZORDER')" -> Map("sort.order" -> "ZORDER"),
          "SORT BY (id) TBLPROPERTIES ('sort.scope' = 'global')" -> (order(
            "id",
            "LEXICAL") + ("sort.scope" -> "global"))
        )) withSorted(format, clause)(assert(properties("t") === expected, clause))
      withSQLConf("spark.sql.caseSensitive" -> "true") {
        withSorted(format, "SORT BY (A)")(assert(properties("t") === order("A", "LEXICAL")))
        refused(
          s"CREATE TABLE t $columns USING $format SORT BY (a)",
          "ZORDER_SORT_UNKNOWN_COLUMN",
          "42703",
          "column" -> "a",
          "allowed" -> s"$sortable, day")
      }
    }

    test(s"CREATE TABLE AS SELECT, $format") {
      withTable("t") {
        sql(s"CREATE TABLE t USING $format PARTITIONED BY (p) SORT BY ZORDER (ID, q) AS " +
          "SELECT id, id % 7 AS Q, id % 2 AS p FROM range(100) SORT BY id")
        assert(properties("t") === order("id,Q", "ZORDER") && spark.table("t").count() === 100)
        sql(s"CREATE TABLE IF NOT EXISTS t USING $format SORT BY (x) AS SELECT 1 AS x")
        assert(properties("t") === order("id,Q", "ZORDER"))
      }
      val select = "AS SELECT id, map(1, 2) AS m, id AS p FROM range(1)"
      refused(s"CREATE TABLE t USING $format SORT BY (q) $select", "ZORDER_SORT_UNKNOWN_COLUMN", "42703")
      refused(s"CREATE TABLE t USING $format SORT BY (m) $select", "ZORDER_SORT_UNORDERABLE_COLUMN", "42K09")
      refused(
        s"CREATE TABLE t USING $format PARTITIONED BY (p) SORT BY (id, P) $select",
        "ZORDER_SORT_PARTITION_COLUMN",
        "42P10",
        "table" -> "default.t",
        "column" -> "p",
        "allowed" -> "id, m"
      )
    }

    test(s"CREATE TABLE ... LIKE takes the order over, $format") {
      withSorted(format, "SORT BY ZORDER (a, b) TBLPROPERTIES ('sort.scope' = 'global')") {
        val all = order("A,b", "ZORDER") + ("sort.scope" -> "global")
        withTable("u", "v", "w") {
          sql("CREATE TABLE u LIKE t")
          assert(properties("u") === all)
          sql("CREATE TABLE v LIKE t TBLPROPERTIES ('x' = 'y', 'sort.scope' = 'local')")
          assert(properties("v") === all + ("sort.scope" -> "local"))
          sql("CREATE TABLE w LIKE t USING delta")
          assert(properties("w") === all)
        }
        withTable("u") {
          sql("ALTER TABLE t SORT BY ()")
          sql("CREATE TABLE u LIKE t")
          assert(properties("u").isEmpty)
        }
      }
    }

    test(s"what CREATE TABLE ... LIKE sets is checked, $format") {
      withSorted(format, "SORT BY ZORDER (a, b)") {
        def like(properties: String) = s"CREATE TABLE u LIKE t TBLPROPERTIES ($properties)"
        refused(
          like("'sort.scope' = 'locl'"),
          "ZORDER_INVALID_TABLE_PROPERTY",
          "22023",
          "table" -> "default.u",
          "property" -> "sort.scope",
          "value" -> "locl")
        val gone = like("'sort.columns' = 'a, gone'")
        refused(gone, "ZORDER_SORT_UNKNOWN_COLUMN", "42703", "column" -> "gone", "allowed" -> sortable)
        refused(like("'sort.columns' = 'a, day'"), "ZORDER_SORT_PARTITION_COLUMN", "42P10", "column" -> "day")
        val undone = "CREATE TABLE u LIKE t USING delta TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')"
        refused(undone, "ZORDER_SORT_AND_OPTIMIZED_WRITES", "42613")
        withTable("u") {
          sql(like("'sort.columns' = 'B, a', 'sort.order' = 'lexical'"))
          assert(properties("u") === order("b,A", "LEXICAL"))
        }
      }
    }

    test(s"DESCRIBE EXTENDED shows the order, $format") {
      withSorted(format, "SORT BY ZORDER (a, b)") {
        val shown = sql("DESCRIBE EXTENDED t").where("col_name = 'Table Properties'").head().getString(1)
        assert(shown.contains("sort.columns=A,b") && shown.contains("sort.order=ZORDER"))
      }
    }
  }

  test("CREATE OR REPLACE and REPLACE, which are Delta's") {
    withTable("t") {
      sql("CREATE OR REPLACE TABLE t (a INT, b INT) USING delta SORT BY ZORDER (a, b)")
      assert(properties("t") === order("a,b", "ZORDER"))
      sql("REPLACE TABLE t USING delta SORT BY (C) AS SELECT 1 AS c SORT BY c")
      assert(properties("t") === order("c", "LEXICAL"))
      refused("CREATE OR REPLACE TABLE t (a INT) USING delta SORT BY (b)", "ZORDER_SORT_UNKNOWN_COLUMN", "42703")
      refused("REPLACE TABLE t USING delta SORT BY (b) AS SELECT 1 AS a", "ZORDER_SORT_UNKNOWN_COLUMN", "42703")
      sql("CREATE OR REPLACE TABLE t (a INT) USING delta")
      assert(properties("t").isEmpty)
    }
  }

  test("a Delta table by its path") {
    withTempDir { dir =>
      val table = s"delta.`$dir/t`"
      sql(s"CREATE TABLE $table (a INT, b INT) USING delta SORT BY (a)")
      assert(properties(table) === order("a", "LEXICAL"))
      sql(s"ALTER TABLE $table SORT BY ZORDER (a, B)")
      assert(properties(table) === order("a,b", "ZORDER"))
      assert(sql(s"OPTIMIZE $table ZORDER DRY RUN").count() === 1)
    }
  }

  test("the order by DataFrameWriterV2") {
    withTable("t") {
      spark.range(10).selectExpr("id AS a").writeTo("t").using("parquet").tableProperty("sort.columns", "A").create()
      assert(properties("t") === order("a", "LEXICAL"))
    }
  }

  test("what SHOW CREATE TABLE prints makes the same table") {
    withSorted("parquet", "SORT BY ZORDER (A, s.x, `x,y`) COMMENT 'c' TBLPROPERTIES ('sort.scope' = 'global')") {
      val before = properties("t")
      val text = sql("SHOW CREATE TABLE t").head().getString(0)
      sql("DROP TABLE t")
      sql(text)
      assert(properties("t") === before && before("sort.columns") === "A,s.X,`x,y`")
    }
  }

  test("a table whose columns only its files tell is checked when it is written") {
    withTempDir { dir =>
      spark.range(3).write.parquet(s"$dir/t")
      withTable("t") {
        sql(s"CREATE TABLE t USING parquet LOCATION '$dir/t' SORT BY (nothing)")
        assert(properties("t") === order("nothing", "LEXICAL"))
        refused("OPTIMIZE t ZORDER", "ZORDER_SORT_UNKNOWN_COLUMN", "42703", "allowed" -> "id")
      }
      refused(
        s"CREATE TABLE t USING parquet LOCATION '$dir/t' SORT BY ZORDER (id)",
        "ZORDER_SORT_SINGLE_COLUMN",
        "42601")
    }
  }
}
