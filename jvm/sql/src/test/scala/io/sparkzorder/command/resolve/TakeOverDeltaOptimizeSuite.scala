// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.resolve

import io.delta.tables.{DeltaTable => DeltaTableApi}
import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{AnalysisException, QueryTest}

/** Delta's own z-order statements and API, carried out by this extension, in either order of the two extensions. */
abstract class TakeOverDeltaOptimizeSuite extends QueryTest with DeltaSession {

  private val takeover = "spark.sql.zorder.delta.takeover"

  private def lastOperation(table: String): String =
    sql(s"DESCRIBE HISTORY $table LIMIT 1").select("operationParameters").head().getMap[String, String](0)("zOrderBy")

  /** The file size of Delta's own OPTIMIZE, which is the only one that its API knows. */
  private def withFiles(table: String, files: Int)(body: => Unit): Unit =
    withSQLConf("spark.databricks.delta.optimize.maxFileSize" -> (bytesOf(table) / files).toString)(body)

  test("SQL") {
    withTable("t") {
      createTable("t", events(2000), partitionBy = Seq("day"))
      withFiles("t", 6) {
        val result = keepingRows("t")(sql("OPTIMIZE t WHERE day < '2024-01-03' ZORDER BY (a, b)"))
        assert(result.columns === Array("path", "metrics", "layout", "summary"))
        assert(lastOperation("t") === """["a","b"]""")
        assert(added("t").map(_.partitionValues("day")).toSet === Set("2024-01-01", "2024-01-02"))
      }
    }
  }

  test("DeltaTable.optimize().executeZOrderBy()") {
    withTable("t") {
      createTable("t", events(2000), partitionBy = Seq("day"))
      val table = DeltaTableApi.forPath(spark, log("t").dataPath.toString)
      withFiles("t", 6) {
        val result = keepingRows("t")(table.optimize().executeZOrderBy("a", "b"))
        assert(result.columns === Array("path", "metrics", "layout", "summary"))
        assert(filesOf("t").size >= 4)
        keepingRows("t")(table.optimize().where("day = '2024-01-02'").executeZOrderBy("c"))
        assert(added("t").map(_.partitionValues("day")).toSet === Set("2024-01-02"))
        assert(lastOperation("t") === """["c"]""")
        keepingRows("t")(DeltaTableApi.forName(spark, "t").optimize().executeZOrderBy("a"))
        assert(lastOperation("t") === """["a"]""")
      }
    }
  }

  test("the API's bad input is refused as the statement's") {
    withTable("t") {
      createTable("t", events(100), partitionBy = Seq("day"))
      val table = DeltaTableApi.forName(spark, "t")
      val partition = changingNothing("t")(intercept[AnalysisException](table.optimize().executeZOrderBy("day")))
      assert(partition.getCondition === "ZORDER_PARTITION_COLUMN")
      val unknown = changingNothing("t")(intercept[AnalysisException](table.optimize().executeZOrderBy("bb")))
      assert(unknown.getCondition === "UNRESOLVED_COLUMN.WITH_SUGGESTION")
      val data = changingNothing("t")(
        intercept[AnalysisException](table.optimize().where("a = 1").executeZOrderBy("b")))
      assert(data.getCondition === "ZORDER_PREDICATE_ON_DATA_COLUMN")
    }
  }

  test("switched off, the API is Delta's own") {
    withTable("t") {
      createTable("t", events(500))
      withSQLConf(takeover -> "false") {
        val result = keepingRows("t")(DeltaTableApi.forName(spark, "t").optimize().executeZOrderBy("a", "b"))
        assert(result.columns === Array("path", "metrics"))
        assert(lastOperation("t") === """["a","b"]""")
      }
    }
  }

  test("switched off, the statement is Delta's own, and what Delta has no statement for stays ours") {
    withTable("t") {
      createTable("t", events(500), partitionBy = Seq("day"))
      withSQLConf(takeover -> "false") {
        val result = keepingRows("t")(sql("OPTIMIZE t WHERE day < '2024-01-03' ZORDER BY (a, b)"))
        assert(result.columns === Array("path", "metrics"))
        assert(lastOperation("t") === """["a","b"]""")
        val error = changingNothing("t")(intercept[IllegalArgumentException](sql("OPTIMIZE t ZORDER BY day")))
        assert(error.getMessage.contains("DELTA_ZORDERING_ON_PARTITION_COLUMN"))
        val ours = Seq("DRY RUN", "OPTIONS (curve = 'hilbert')").map(end => sql(s"OPTIMIZE t ZORDER BY (a) $end"))
        assert(ours.forall(_.columns.contains("layout")))
      }
    }
  }

  test("WHERE before OPTIONS and DRY RUN, which Delta's parser takes for a part of the predicate") {
    withTable("t") {
      createTable("t", events(100), partitionBy = Seq("day"))
      val where = "WHERE day = '2024-01-02'"
      val dry = changingNothing("t")(sql(s"OPTIMIZE t $where ZORDER BY (a) DRY RUN"))
      assert(dry.select("metrics.partitionsOptimized").head().getLong(0) === 1)
      keepingRows("t")(sql(s"OPTIMIZE t $where zorder by a, b OPTIONS (curve = 'hilbert')"))
      assert(added("t").map(_.partitionValues("day")).toSet === Set("2024-01-02"))
      assert(lastOperation("t") === """["a","b"]""")
      sql("OPTIMIZE t WHERE cast(day AS STRING) <> 'zorder by (a)'")
    }
  }

  test("Delta's other statements stay Delta's") {
    withTable("t") {
      createTable("t", events(500))
      assert(sql("OPTIMIZE t").columns === Array("path", "metrics"))
      assert(filesOf("t").size === 1)
      assert(DeltaTableApi.forName(spark, "t").optimize().executeCompaction().columns === Array("path", "metrics"))
      sql("REORG TABLE t APPLY (PURGE)")
      assert(sql("DESCRIBE DETAIL t").head().getAs[Long]("numFiles") === 1L)
      assert(sql("DESCRIBE HISTORY t").count() >= 2)
    }
  }

  test("DESCRIBE LAYOUT beside Spark's DESCRIBE") {
    withTable("t") {
      createTable("t", events(200))
      assert(sql("DESCRIBE LAYOUT t ON (a)").count() === 1)
      assert(sql("DESCRIBE LAYOUT EXTENDED t ON (a)").count() === 3)
      assert(sql("DESCRIBE t").count() === 5)
    }
  }
}

/** Delta's extension first: ours is the outer parser. */
class DeltaTakeoverDeltaFirstSuite extends TakeOverDeltaOptimizeSuite with LongSuite {
  override protected def inShortRing: Set[String] = Set(
    "SQL")
}

/** Ours first: Delta's is the outer parser. */
class DeltaTakeoverOursFirstSuite extends TakeOverDeltaOptimizeSuite with LongSuite {
  override protected def sessionExtensions: Seq[String] = super.sessionExtensions.reverse
}
