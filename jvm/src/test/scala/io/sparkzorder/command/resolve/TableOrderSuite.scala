// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.SparkConf
import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.connector.catalog.InMemoryTableCatalog
import org.apache.spark.sql.delta.DeltaOperations

/** The order of a table: which statements set, keep, show and end it, and what they refuse. */
class TableOrderSuite extends QueryTest with DeltaSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "CREATE TABLE stores the order in the table's spelling, parquet",
    "columns that a table cannot be sorted by, delta",
    "CREATE TABLE ... LIKE takes the order over, parquet",
    "what CREATE TABLE ... LIKE sets is checked, delta",
    "Delta's optimized writes and SORT BY",
    "CLUSTERED BY and SORT BY, parquet",
    "what SHOW CREATE TABLE prints makes the same table",
    "formats that are written in no order, and views",
    "liquid clustering and SORT BY",
    "columns of the order cannot be renamed or dropped"
  )

  // Delta then takes any name of a column.
  override protected def sparkConf: SparkConf =
    super.sparkConf.set("spark.databricks.delta.properties.defaults.columnMapping.mode", "name")

  private val formats = Seq("parquet", "delta")

  private val columns =
    "(id BIGINT, A INT, b STRING, c CHAR(3), s STRUCT<X: INT, m: MAP<INT, INT>>, m MAP<INT, INT>, `x,y` INT, `p.q` INT, day DATE)"

  private val sortable = "id, A, b, c, s, m, `x,y`, `p.q`"

  private def withSorted(format: String, clause: String)(body: => Unit): Unit = withTable("t") {
    sql(s"CREATE TABLE t $columns USING $format PARTITIONED BY (day) $clause")
    body
  }

  private def properties(table: String): Map[String, String] =
    sql(s"SHOW TBLPROPERTIES $table").collect().map(r => r.getString(0) -> r.getString(1)).toMap
      .filter(_._1.startsWith("sort."))

  private def order(columns: String, kind: String): Map[String, String] =
    Map("sort.columns" -> columns, "sort.order" -> kind)

  private def refused(
      statement: String,
      condition: String,
      state: String,
      parameters: (String, String)*): Unit = {
    val e = intercept[AnalysisException](sql(statement))
    assert((e.getCondition, e.getSqlState) === ((condition, state)), s"$statement: ${e.getMessage}")
    parameters.foreach { case (name, value) => assert(e.getMessageParameters.get(name) === value, statement) }
    // Of EXPLAIN and CLUSTER BY together Delta's parser makes PARTITIONED BY.
    if (!statement.contains("CLUSTER BY")) explained(statement, condition)
  }

  private def explained(statement: String, condition: String): Unit = {
    val plan = sql(s"EXPLAIN $statement").collect().map(_.getString(0)).mkString("\n")
    assert(plan.contains(s"[$condition]"), s"$statement: $plan")
  }

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

    test(s"columns that a table cannot be sorted by, $format") {
      def check(
          sortBy: String,
          zorder: Boolean,
          condition: String,
          state: String,
          parameters: (String, String)*): Unit = {
        val kind = if (zorder) "ZORDER" else "LEXICAL"
        val create = s"CREATE TABLE u $columns USING $format PARTITIONED BY (day)"
        val byHand = s"('sort.columns' = '$sortBy', 'sort.order' = '$kind')"
        for (statement <- Seq(
            s"$create SORT BY $kind ($sortBy)",
            s"$create TBLPROPERTIES $byHand"))
          refused(statement, condition, state, parameters :+ ("table" -> "default.u"): _*)
        val set = s"ALTER TABLE t SET TBLPROPERTIES $byHand"
        // Of a field that is not there the analyzer has its own error, as in any query.
        val isField = condition.contains("UNKNOWN") && sortBy.contains(".")
        for (statement <- set +: Seq(s"ALTER TABLE t SORT BY $kind ($sortBy)").filterNot(_ => isField))
          refused(statement, condition, state, parameters :+ ("table" -> "default.t"): _*)
        assert(properties("t") === order("id", "LEXICAL"))
      }
      withSorted(format, "SORT BY (id)") {
        for (unknown <- Seq("bb", "s.y", "A.b", "m.key"))
          check(s"id, $unknown", zorder = false, "ZORDER_SORT_UNKNOWN_COLUMN", "42703", "allowed" -> sortable)
        check("A, id, a", zorder = true, "ZORDER_SORT_DUPLICATE_COLUMN", "42711", "column" -> "A")
        check("s.x, S.X", zorder = false, "ZORDER_SORT_DUPLICATE_COLUMN", "42711", "column" -> "s.X")
        check(
          "a, DAY",
          zorder = true,
          "ZORDER_SORT_PARTITION_COLUMN",
          "42P10",
          "column" -> "day",
          "allowed" -> sortable)
        check("a", zorder = true, "ZORDER_SORT_SINGLE_COLUMN", "42601")
        check(
          "m",
          zorder = false,
          "ZORDER_SORT_UNORDERABLE_COLUMN",
          "42K09",
          "column" -> "m",
          "type" -> "MAP<INT, INT>")
        check("a, s.m", zorder = true, "ZORDER_SORT_UNORDERABLE_COLUMN", "42K09", "column" -> "s.m")
        check("s", zorder = false, "ZORDER_SORT_UNORDERABLE_COLUMN", "42K09", "column" -> "s")
      }
    }

    test(s"the limit of a z-order, $format") {
      val many = (1 to 17).map("c" + _)
      val table = s"CREATE TABLE t (${many.mkString("", " INT, ", " INT")}) USING $format"
      refused(
        s"$table SORT BY ZORDER (${many.mkString(", ")})",
        "ZORDER_SORT_TOO_MANY_COLUMNS",
        "54011",
        "count" -> "17",
        "limit" -> "16")
      withTable("t")(sql(s"$table SORT BY LEXICAL (${many.mkString(", ")})"))
    }

    test(s"values of the properties, $format") {
      for ((property, allowed) <- Seq("sort.order" -> "LEXICAL, ZORDER", "sort.scope" -> "local, global")) {
        val parameters = Seq("property" -> property, "value" -> "up", "allowed" -> allowed)
        refused(
          s"CREATE TABLE t (a INT) USING $format TBLPROPERTIES ('sort.columns' = 'a', '$property' = 'up')",
          "ZORDER_INVALID_TABLE_PROPERTY",
          "22023",
          parameters: _*
        )
        withSorted(format, "SORT BY (a)") {
          refused(
            s"ALTER TABLE t SET TBLPROPERTIES ('$property' = 'up')",
            "ZORDER_INVALID_TABLE_PROPERTY",
            "22023",
            parameters: _*)
        }
      }
    }

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

    test(s"CLUSTERED BY and SORT BY, $format") {
      for (sorted <- Seq("SORTED BY (b)", ""))
        refused(
          s"CREATE TABLE t $columns USING $format CLUSTERED BY (id) $sorted INTO 4 BUCKETS SORT BY (a)",
          "ZORDER_SORT_AND_BUCKETS",
          "42613",
          "table" -> "default.t"
        )
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
        assert(clustered("OPTIMIZE t ZORDER DRY RUN") === Seq("a", "b"))
        assert(clustered("OPTIMIZE t WHERE day = '2024-01-01' ZORDER") === Seq("a", "b"))
        assert(clustered("OPTIMIZE t ZORDER OPTIONS (mode = 'full')") === Seq("a", "b"))
        sql("ALTER TABLE t SORT BY (c)")
        assert(clustered("OPTIMIZE t ZORDER") === Seq("c"))
        assert(clustered("OPTIMIZE t ZORDER BY (a)") === Seq("a"))
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

  test("formats that are written in no order, and views") {
    for (format <- Seq("csv", "json", "orc", "JDBC"); as <- Seq("", " AS SELECT 1 AS a"))
      refused(
        s"CREATE TABLE t ${if (as.isEmpty) "(a INT)" else ""} USING $format SORT BY (a)$as",
        "ZORDER_SORT_UNSUPPORTED_FORMAT",
        "0A000",
        "table" -> "default.t",
        "format" -> format.toLowerCase
      )
    withTable("t", "u") {
      sql("CREATE TABLE t (a INT) USING csv")
      refused("ALTER TABLE t SORT BY (a)", "ZORDER_SORT_UNSUPPORTED_FORMAT", "0A000", "format" -> "csv")
      sql("ALTER TABLE t SORT BY ()")
      sql("CREATE TABLE u (a INT) USING parquet SORT BY (a)")
      sql("DROP TABLE t")
      sql("CREATE TABLE t LIKE u USING csv")
      assert(properties("t").isEmpty)
    }
    withView("v") {
      sql("CREATE VIEW v AS SELECT 1 AS a")
      refused("ALTER TABLE v SORT BY (a)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809")
    }
    refused("ALTER TABLE nowhere SORT BY (a)", "TABLE_OR_VIEW_NOT_FOUND", "42P01")
  }

  test("properties of these names that another format's table has are left alone") {
    for (format <- Seq("csv", "orc")) withTable("t", "u") {
      sql(s"CREATE TABLE t (a INT) USING $format TBLPROPERTIES ('sort.columns' = 'b', 'sort.order' = 'desc')")
      assert(properties("t") === order("b", "desc"))
      sql("ALTER TABLE t SET TBLPROPERTIES ('sort.order' = 'asc', 'sort.columns' = 'nothing')")
      assert(properties("t") === order("nothing", "asc"))
      sql("INSERT INTO t VALUES (2), (1)")
      sql("CREATE TABLE u LIKE t TBLPROPERTIES ('sort.columns' = 'c')")
      assert(properties("u") === Map("sort.columns" -> "c"))
    }
    withSQLConf("spark.sql.catalog.other" -> classOf[InMemoryTableCatalog].getName) {
      refused(
        "CREATE TABLE other.n.t (a INT) USING x SORT BY (a)",
        "ZORDER_SORT_UNSUPPORTED_FORMAT",
        "0A000",
        "table" -> "other.n.t")
      sql("CREATE TABLE other.n.t (a INT) TBLPROPERTIES ('sort.columns' = 'b')")
      sql("ALTER TABLE other.n.t SET TBLPROPERTIES ('sort.order' = 'desc')")
      assert(properties("other.n.t") === order("b", "desc"))
    }
  }

  test("Delta's optimized writes and SORT BY") {
    val and = "ZORDER_SORT_AND_OPTIMIZED_WRITES"
    val optimized = "'delta.AutoOptimize.optimizeWrite' = 'TRUE'"
    val create = s"CREATE TABLE t (a INT, b INT) USING delta TBLPROPERTIES ($optimized)"
    refused(
      s"$create SORT BY (b)",
      and,
      "42613",
      "table" -> "default.t",
      "setting" -> "delta.autoOptimize.optimizeWrite")
    withTable("t", "u") {
      sql(create)
      refused("ALTER TABLE t SORT BY (b)", and, "42613", "table" -> "default.t")
      refused("ALTER TABLE t SET TBLPROPERTIES ('sort.columns' = 'b')", and, "42613")
      sql("ALTER TABLE t SET TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'false')")
      sql("ALTER TABLE t SORT BY (b)")
      refused(s"ALTER TABLE t SET TBLPROPERTIES ($optimized)", and, "42613", "table" -> "default.t")
      sql("ALTER TABLE t SORT BY ()")
      sql(s"ALTER TABLE t SET TBLPROPERTIES ($optimized)")
      // To Parquet tables the property means nothing.
      sql(s"CREATE TABLE u (a INT) USING parquet SORT BY (a) TBLPROPERTIES ($optimized)")
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

  test("a folder of Parquet files has no order") {
    withTempDir { dir =>
      val path = s"$dir/t"
      spark.range(3).selectExpr("id AS a", "id AS b").write.parquet(path)
      for (statement <- Seq(
          s"OPTIMIZE parquet.`$path` ZORDER",
          s"OPTIMIZE '$path' ZORDER",
          s"ALTER TABLE parquet.`$path` SORT BY ZORDER (a, b)",
          s"ALTER TABLE parquet.`$path` SORT BY ()",
          s"ALTER TABLE parquet.`$path` SET TBLPROPERTIES ('sort.columns' = 'a', 'sort.scope' = 'global')"
        ))
        refused(statement, "ZORDER_FOLDER_WITHOUT_ORDER", "0A000")
      refused("ALTER TABLE parquet.nowhere SET TBLPROPERTIES ('a' = 'b')", "TABLE_OR_VIEW_NOT_FOUND", "42P01")
    }
  }

  test("liquid clustering and SORT BY") {
    val and = "ZORDER_SORT_AND_CLUSTERING"
    refused(
      "CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a) SORT BY (b)",
      and,
      "42613",
      "table" -> "default.t")
    refused("CREATE TABLE t (a INT, b INT) USING delta SORT BY (b) CLUSTER BY (a)", and, "42613")
    refused("CREATE TABLE t USING delta SORT BY (a) CLUSTER BY (a) AS SELECT 1 AS a", and, "42613")
    withTable("t") {
      sql("CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a)")
      refused("ALTER TABLE t SORT BY (b)", and, "42613", "table" -> "default.t")
      sql("ALTER TABLE t CLUSTER BY NONE")
      sql("ALTER TABLE t SORT BY (b)")
      assert(properties("t") === order("b", "LEXICAL"))
      refused("ALTER TABLE t CLUSTER BY (a)", and, "42613")
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
