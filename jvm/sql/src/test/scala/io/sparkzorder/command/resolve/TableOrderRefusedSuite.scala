// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.sparkzorder.LongSuite

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.connector.catalog.InMemoryTableCatalog

/** Tables and columns that cannot have an order, whichever statement gives it to them. */
class TableOrderRefusedSuite extends QueryTest with TableOrderSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "columns that a table cannot be sorted by, delta",
    "Delta's optimized writes and SORT BY",
    "CLUSTERED BY and SORT BY, parquet",
    "formats that are written in no order, and views",
    "liquid clustering and SORT BY"
  )

  for (format <- formats) {

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

    test(s"CLUSTERED BY and SORT BY, $format") {
      for (sorted <- Seq("SORTED BY (b)", ""))
        refused(
          s"CREATE TABLE t $columns USING $format CLUSTERED BY (id) $sorted INTO 4 BUCKETS SORT BY (a)",
          "ZORDER_SORT_AND_BUCKETS",
          "42613",
          "table" -> "default.t"
        )
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
}
