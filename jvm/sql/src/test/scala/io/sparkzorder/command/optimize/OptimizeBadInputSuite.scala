// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{AnalysisException, QueryTest}
import org.apache.spark.sql.catalyst.parser.ParseException

/** What OPTIMIZE and DESCRIBE LAYOUT refuse: by condition, SQLSTATE and parameters, with nothing changed. */
class OptimizeBadInputSuite extends QueryTest with LongSuite with DeltaSession {

  private val table = "default.t"

  private def withT(body: => Unit): Unit = withTable("t") {
    val data = events(100).selectExpr(
      "*",
      "map('k', a) AS m",
      "parse_json('1') AS v",
      "named_struct('x', a, 'y', map(1, 2)) AS s",
      "array(a, 1) AS arr")
    createTable("t", data, files = 1, partitionBy = Seq("day"))
    body
  }

  /** `statement` fails so, and changes nothing; `EXPLAIN` of it says so where names and types alone tell. */
  private def refused(
      statement: String,
      condition: String,
      sqlState: String,
      parameters: Map[String, String],
      explained: Boolean = true): Unit = changingNothing("t") {
    // An AnalysisException is what PySpark, Connect and JDBC map by condition and SQLSTATE.
    val e = intercept[AnalysisException](sql(statement).collect())
    assert((e.getCondition, e.getSqlState) === ((condition, sqlState)), s"$statement: ${e.getMessage}")
    parameters.foreach { case (name, value) =>
      assert(e.getMessageParameters.get(name) === value, s"$statement: ${e.getMessage}")
      assert(e.getMessage.contains(value), statement)
    }
    // Spark gives the error as the text of the plan, line by line.
    val plan = sql(s"EXPLAIN $statement").collect().map(_.getString(0)).mkString("\n")
    assert(plan.contains(s"[$condition]") === explained, plan)
  }

  private val optimize = "OPTIMIZE ... ZORDER BY"
  private val dataColumns = "id, a, b, c, m, v, s, arr"

  test("unknown columns, with the closest names") {
    withT {
      refused(
        "OPTIMIZE t ZORDER BY (id, bb)",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "42703",
        Map("objectName" -> "`bb`"))
      for (column <- Seq("bb", "t.bb", "`a.b`"))
        assert(intercept[AnalysisException](sql(s"OPTIMIZE t ZORDER BY ($column)")).getMessage.contains("`b`"))
      refused(
        "OPTIMIZE t ZORDER BY (s.z)",
        "FIELD_NOT_FOUND",
        "42704",
        Map("fieldName" -> "`z`", "fields" -> "`x`, `y`"))
      refused(
        "OPTIMIZE t WHERE dayy = 1 ZORDER BY (a)",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "42703",
        Map("objectName" -> "`dayy`"))
      refused("DESCRIBE LAYOUT t ON (bb)", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", Map("objectName" -> "`bb`"))
    }
  }

  test("what Spark says of unknown names, without the plan") {
    withT {
      val statements = Seq(
        "OPTIMIZE t ZORDER BY (id, bb)",
        "OPTIMIZE t WHERE dayy = 1 ZORDER BY (a)",
        "OPTIMIZE t WHERE day = array(1) ZORDER BY (a)",
        "OPTIMIZE missing ZORDER BY (a)",
        "DESCRIBE LAYOUT t ON (bb)",
        "DESCRIBE LAYOUT missing",
        "ADVISE LAYOUT t ON (bb)",
        "ALTER TABLE missing SORT BY (a)",
        "FSCK REPAIR TABLE missing",
        "SELECT * FROM describe_layout('missing')"
      )
      for (statement <- statements; text = intercept[AnalysisException](sql(statement)).getMessage)
        assert(text.contains("SQLSTATE") && !text.contains("esolvedTable") && !text.contains("Statement"), text)
    }
  }

  test("partition columns are refused") {
    withT {
      for (column <- Seq("day", "DAY", "`day`"))
        refused(
          s"OPTIMIZE t ZORDER BY (a, $column)",
          "ZORDER_PARTITION_COLUMN",
          "42P10",
          Map("column" -> "day", "table" -> table, "allowed" -> dataColumns))
    }
  }

  test("a column twice is refused") {
    withT {
      for (columns <- Seq("a, b, a", "a, A", "a, t.a", "`a`, a"))
        refused(s"OPTIMIZE t ZORDER BY ($columns)", "ZORDER_DUPLICATE_COLUMN", "42711", Map("column" -> "a"))
      refused("OPTIMIZE t ZORDER BY (s.x, S.X)", "ZORDER_DUPLICATE_COLUMN", "42711", Map("column" -> "s.x"))
    }
  }

  test("no column, and too many, are refused") {
    withT {
      refused(
        "OPTIMIZE t ZORDER BY ()",
        "ZORDER_NO_COLUMN",
        "42601",
        Map("statement" -> optimize, "table" -> table, "limit" -> "16", "example" -> "id, a"))
    }
    withTable("t") {
      createTable("t", spark.range(10).selectExpr((1 to 17).map(i => s"id + $i AS c$i"): _*))
      refused(
        s"OPTIMIZE t ZORDER BY (${(1 to 17).map("c" + _).mkString(", ")})",
        "ZORDER_TOO_MANY_COLUMNS",
        "54011",
        Map("count" -> "17", "limit" -> "16"))
      sql(s"OPTIMIZE t ZORDER BY (${(1 to 16).map("c" + _).mkString(", ")})")
    }
  }

  test("types without an order are refused") {
    withT {
      Seq(
        "m" -> "MAP<STRING, INT>",
        "v" -> "VARIANT",
        "s" -> "STRUCT<x: INT, y: MAP<INT, INT> NOT NULL>",
        "s.y" -> "MAP<INT, INT>")
        .foreach { case (column, dataType) =>
          for (statement <- Seq(s"OPTIMIZE t ZORDER BY ($column)", s"DESCRIBE LAYOUT t ON ($column)")) {
            val e = changingNothing("t")(intercept[AnalysisException](sql(statement)))
            assert((e.getCondition, e.getSqlState) === (("ZORDER_UNORDERABLE_COLUMN", "42K09")))
            assert(e.getMessageParameters.get("column") === column && e.getMessageParameters.get("table") === table)
            assert(e.getMessageParameters.get("type").replace(" NOT NULL", "") === dataType.replace(" NOT NULL", ""))
          }
        }
    }
  }

  test("what is no column: elements of maps and arrays") {
    withT {
      refused("OPTIMIZE t ZORDER BY (m.k)", "ZORDER_NOT_A_COLUMN", "42P10", Map("table" -> table))
      withTable("u") {
        createTable("u", events(10).selectExpr("array(struct(a, b)) AS arr"))
        val e = changingNothing("u")(intercept[AnalysisException](sql("OPTIMIZE u ZORDER BY (arr.a)")))
        assert(e.getCondition === "ZORDER_NOT_A_COLUMN")
      }
    }
  }

  test("columns without statistics, unless the check is off") {
    val check = "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled"
    withT {
      sql("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id,a')")
      refused(
        "OPTIMIZE t ZORDER BY (a, b, c)",
        "ZORDER_COLUMN_WITHOUT_STATISTICS",
        "42P10",
        Map("columns" -> "b, c", "table" -> table, "conf" -> check),
        explained = false)
      withSQLConf(check -> "false")(keepingRows("t")(sql("OPTIMIZE t ZORDER BY (a, b, c)")))
      sql("OPTIMIZE t ZORDER BY (a)")
    }
  }

  test("predicates on data columns") {
    withT {
      for (predicate <- Seq("a = 1", "day = '2024-01-01' OR A > 1", "a = day(day)"))
        refused(
          s"OPTIMIZE t WHERE $predicate ZORDER BY (b)",
          "ZORDER_PREDICATE_ON_DATA_COLUMN",
          "42P10",
          Map("statement" -> optimize, "table" -> table, "columns" -> "a", "allowed" -> "day")
        )
      refused(
        "DESCRIBE LAYOUT t WHERE a = 1",
        "ZORDER_PREDICATE_ON_DATA_COLUMN",
        "42P10",
        Map("statement" -> "DESCRIBE LAYOUT", "columns" -> "a"))
    }
    withTable("t") {
      createTable("t", events(10))
      refused(
        "OPTIMIZE t WHERE a = 1 ZORDER BY (b)",
        "ZORDER_PREDICATE_ON_DATA_COLUMN",
        "42P10",
        Map("allowed" -> "none"))
    }
  }

  test("predicates that choose files are checked like those that choose partitions") {
    withT {
      val choosing = "ZORDER BY (b) OPTIONS (where_files = 'overlapping')"
      for ((predicate, condition) <- Seq(
          "a > rand()" -> "ZORDER_PREDICATE_NOT_DETERMINISTIC",
          "a + 1" -> "ZORDER_PREDICATE_NOT_BOOLEAN",
          "a IN (SELECT 1)" -> "ZORDER_PREDICATE_WITH_SUBQUERY")) changingNothing("t") {
        val e = intercept[AnalysisException](sql(s"OPTIMIZE t WHERE $predicate $choosing"))
        assert(e.getCondition === condition)
      }
    }
  }

  test("subqueries, chance and other types in the predicate") {
    withT {
      for (predicate <- Seq(
          "day = (SELECT max(day) FROM t)",
          "day IN (SELECT day FROM t)",
          "EXISTS (SELECT 1 FROM t)",
          "day IN (SELECT nothing FROM nowhere)"))
        refused(
          s"OPTIMIZE t WHERE $predicate ZORDER BY (b)",
          "ZORDER_PREDICATE_WITH_SUBQUERY",
          "0A000",
          Map("statement" -> optimize, "table" -> s"spark_catalog.$table"))
      refused(
        "OPTIMIZE t WHERE rand() < 0.5 ZORDER BY (b)",
        "ZORDER_PREDICATE_NOT_DETERMINISTIC",
        "42K0E",
        Map("statement" -> optimize, "table" -> table))
      refused(
        "OPTIMIZE t WHERE day ZORDER BY (b)",
        "ZORDER_PREDICATE_NOT_BOOLEAN",
        "42K09",
        Map("statement" -> optimize, "table" -> table, "type" -> "DATE"))
    }
  }

  test("tables that are not there") {
    withT {
      refused("OPTIMIZE nowhere ZORDER BY (a)", "TABLE_OR_VIEW_NOT_FOUND", "42P01", Map("relationName" -> "`nowhere`"))
      refused("DESCRIBE LAYOUT nowhere", "TABLE_OR_VIEW_NOT_FOUND", "42P01", Map("relationName" -> "`nowhere`"))
      withTempDir { dir =>
        for (name <- Seq(s"delta.`$dir`", s"'$dir'", s"delta.`$dir/none`"))
          refused(
            s"OPTIMIZE $name ZORDER BY (a)",
            "ZORDER_PATH_NOT_FOUND",
            "42K03",
            Map("path" -> name, "statement" -> optimize))
        refused(
          s"DESCRIBE LAYOUT delta.`$dir`",
          "ZORDER_PATH_NOT_FOUND",
          "42K03",
          Map("path" -> s"delta.`$dir`", "statement" -> "DESCRIBE LAYOUT"))
        assert(dir.list().isEmpty)
      }
    }
  }

  test("a folder of plain Parquet files is no Delta table, and the error says how to name it") {
    withT {
      withTempDir { dir =>
        events(10).write.mode("overwrite").parquet(dir.toString)
        val (name, otherName) = (s"delta.`$dir`", s"parquet.`$dir`")
        val parameters = Map("path" -> name, "format" -> "delta", "otherPath" -> otherName)
        for (statement <-
            Seq(s"OPTIMIZE $name ZORDER BY (a)", s"OPTIMIZE $name ZORDER BY (a) DRY RUN", s"DESCRIBE LAYOUT $name"))
          refused(statement, "ZORDER_OTHER_FORMAT_AT_PATH", "42K03", parameters)
      }
    }
  }

  test("a folder of a table is not the table") {
    withT {
      val folder = locationOf("t", filesOf("t").head).stripPrefix("file:").split('/').dropRight(1).mkString("/")
      val name = s"delta.`$folder`"
      refused(s"OPTIMIZE $name ZORDER BY (a)", "ZORDER_PATH_NOT_FOUND", "42K03", Map("path" -> name))
      for (other <- Seq(s"'$folder'", s"parquet.`$folder`"))
        refused(s"OPTIMIZE $other ZORDER BY (a)", "ZORDER_NOT_PLAIN_PARQUET", "0A000", Map("table" -> other))
    }
  }

  test("views are refused, also temporary ones") {
    withT {
      withView("v") {
        sql("CREATE VIEW v AS SELECT * FROM t")
        for (statement <- Seq("OPTIMIZE v ZORDER BY (a)", "DESCRIBE LAYOUT v"))
          refused(statement, "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809", Map.empty)
      }
      withTempView("tv") {
        sql("SELECT 1 AS a").createOrReplaceTempView("tv")
        refused("OPTIMIZE tv ZORDER BY (a)", "EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", "42809", Map("viewName" -> "`tv`"))
      }
    }
  }

  test("a column of no type") {
    withTable("u") {
      sql("CREATE TABLE u (a INT, v VOID) USING delta")
      sql("INSERT INTO u (a) SELECT id FROM range(10)")
      for (statement <- Seq("OPTIMIZE u ZORDER BY (v)", "DESCRIBE LAYOUT u ON (v)", "ADVISE LAYOUT u ON (v)")) {
        val e = intercept[AnalysisException](sql(statement).collect())
        assert((e.getCondition, e.getSqlState) === (("ZORDER_UNORDERABLE_COLUMN", "42K09")), statement)
      }
    }
  }

  test("tables of other formats, by name and by path") {
    withT {
      withTable("o", "j") {
        sql("CREATE TABLE o USING orc AS SELECT 1 AS a")
        sql("CREATE TABLE j USING json AS SELECT 1 AS a")
        for ((name, format) <- Seq("o" -> "orc", "j" -> "json"))
          refused(
            s"OPTIMIZE $name ZORDER BY (a)",
            "ZORDER_UNSUPPORTED_FORMAT",
            "0A000",
            Map("table" -> s"spark_catalog.default.$name", "format" -> format, "statement" -> optimize)
          )
        refused(
          "OPTIMIZE orc.`/tmp/nothing` ZORDER BY (a)",
          "ZORDER_UNSUPPORTED_FORMAT",
          "0A000",
          Map("table" -> "orc.`/tmp/nothing`", "format" -> "orc"))
        refused("DESCRIBE LAYOUT o", "ZORDER_UNSUPPORTED_FORMAT", "0A000", Map("statement" -> "DESCRIBE LAYOUT"))
        checkAnswer(spark.table("o"), org.apache.spark.sql.Row(1))
      }
    }
  }

  test("liquid-clustered tables") {
    withTable("t") {
      sql("CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a, b)")
      sql("INSERT INTO t VALUES (1, 2)")
      refused(
        "OPTIMIZE t ZORDER BY (a)",
        "ZORDER_LIQUID_CLUSTERED_TABLE",
        "42613",
        Map("table" -> table, "columns" -> "a, b"),
        explained = false)
    }
  }

  test("old versions of a table") {
    withT {
      val path = log("t").dataPath.toUri.getPath
      for (version <- Seq("@v0", "@v00"))
        refused(
          s"OPTIMIZE delta.`$path$version` ZORDER BY (a)",
          "ZORDER_TIME_TRAVEL",
          "0A000",
          Map("table" -> s"delta.`$path$version`"),
          explained = false)
      assert(intercept[AnalysisException](sql(s"OPTIMIZE delta.`$path@v0` ZORDER BY (a) DRY RUN")).getCondition ===
        "ZORDER_TIME_TRAVEL")
    }
  }

  test("options that do not exist, and values that they do not take") {
    withT {
      val e =
        changingNothing("t")(intercept[AnalysisException](sql("OPTIMIZE t ZORDER BY (a) OPTIONS (targetsize = 1)")))
      assert((e.getCondition, e.getSqlState) === (("ZORDER_UNKNOWN_OPTION", "42616")))
      assert(
        e.getMessageParameters.get("option") === "targetsize" && e.getMessageParameters.get("statement") === optimize)
      assert(e.getMessageParameters.get("allowed").contains("target_file_size"))
      for (value <- Seq("0", "-1", "much", "12 parsecs", ""))
        refused(
          s"OPTIMIZE t ZORDER BY (a) OPTIONS (target_file_size = '$value')",
          "ZORDER_INVALID_OPTION",
          "22023",
          Map("option" -> "target_file_size", "value" -> value, "statement" -> optimize)
        )
      for ((option, value) <- Seq(
          "mode" -> "fast",
          "where_files" -> "all",
          "batch_size" -> "0",
          "batch_size" -> "9999999999g",
          "curve" -> "",
          "compression" -> "zstd(23)"))
        refused(
          s"OPTIMIZE t ZORDER BY (a) OPTIONS ($option = '$value')",
          "ZORDER_INVALID_OPTION",
          "22023",
          Map("option" -> option, "statement" -> optimize))
    }
  }

  test("slips of syntax are parse errors, whatever the table") {
    withT {
      for (statement <-
          Seq("OPTIMIZE t ZORDER BY", "OPTIMIZE t ZORDER BY (a) WHERE day = 1", "DESCRIBE LAYOUT t ON a")) {
        val e = changingNothing("t")(intercept[ParseException](sql(statement)))
        assert(e.getSqlState === "42601", statement)
      }
    }
  }
}
