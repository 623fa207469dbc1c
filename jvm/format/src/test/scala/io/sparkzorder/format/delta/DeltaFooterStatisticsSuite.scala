// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.delta.util.JsonUtils
import org.apache.spark.sql.functions.to_json
import org.apache.spark.sql.internal.SQLConf

/** The statistics in the log after an OPTIMIZE are those that Delta's own expression finds in the files' rows. */
class DeltaFooterStatisticsSuite extends QueryTest with DeltaSession with LongSuite {

  private val numbers = """id, if(id % 7 = 0, NULL, cast(id % 100 as byte)) AS b, cast(id - 500 as short) AS s,
    hash(id) AS i, xxhash64(id, 1) AS l, cast(id / 7 as float) AS f, -id / 3.0D AS d,
    cast(id * 1.25 as decimal(7, 2)) AS d7, cast(-id * 1.25 as decimal(15, 3)) AS d15,
    cast(id * -1234567890.123456789 as decimal(38, 10)) AS d38"""
  private val times =
    """id, date_add(DATE'1500-03-01', cast(id * 200 as int)) AS day,
    timestamp_micros(xxhash64(id) % 4000000000000000) AS at, cast(timestamp_micros(id * 1001) as timestamp_ntz) AS local"""
  private val texts =
    """id, if(id % 3 = 0, NULL, concat('x', id)) AS short, repeat(concat('é', id), 40) AS long,
    concat(repeat(decode(unhex('F48FBFBF'), 'UTF-8'), 20), id) AS top, '' AS empty, cast(NULL as string) AS none, id % 2 = 0 AS flag,
    cast(concat('b', id) as binary) AS bytes"""
  private val nested = """id, if(id % 5 = 0, NULL, named_struct('x', id, 'y.z', if(id % 2 = 0, NULL, 'v'),
    'in', named_struct('deep', id / 2))) AS `a b`"""
  private val odd =
    """id, if(id = 77, double('NaN'), id / 3.0D) AS nan, if(id % 2 = 0, -0.0D, 0.0D) AS zero,
    if(id = 5, float('NaN'), NULL) AS onlyNan, if(id = 9, repeat('long', 3000), 'short') AS huge, double('-Infinity') AS low"""
  private val lists = "id, array(id, NULL) AS list, map('k', id) AS kv, parse_json('{\"a\": 1}') AS v"

  private def rows(columns: String): DataFrame = sql(s"SELECT $columns FROM range(1000)")

  /** Each file's statistics as Delta's own expression computes them, by the file's name. */
  private def expected(table: String): Map[String, Any] = {
    val s = snapshot(table)
    filesOf(table).map { file =>
      val rows: DataFrame = s.deltaLog.createDataFrame(s, Seq(file))
      file.path -> JsonUtils.fromJson[Map[String, Any]](rows.select(to_json(s.statsCollector)).head().getString(0))
    }.toMap
  }

  private def requireSame(table: String): Unit = {
    val written = filesOf(table).map(f => f.path -> JsonUtils.fromJson[Map[String, Any]](f.stats)).toMap
    assert(written.size > 1)
    assert(written === expected(table))
  }

  private val properties = Map(
    "plain" -> Map.empty[String, String],
    "names" -> Map("delta.columnMapping.mode" -> "name", "delta.enableDeletionVectors" -> "true"),
    "ids" -> Map("delta.columnMapping.mode" -> "id"),
    "first three columns" -> Map("delta.dataSkippingNumIndexedCols" -> "3"),
    "no column" -> Map("delta.dataSkippingNumIndexedCols" -> "0")
  )

  for {
    (kind, columns) <-
      Seq("numbers" -> numbers, "times" -> times, "texts" -> texts, "odd values" -> odd, "lists" -> lists)
    (mode, props) <- if (kind == "numbers") properties else properties.filter(_._1 == "names")
  } test(s"$kind, $mode") {
    withTable("t") {
      withSQLConf("spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled" -> "false") {
        createTable("t", rows(columns), properties = props)
        keepingRows("t")(optimize("t", "id", files = 4))
        requireSame("t")
      }
    }
  }

  for (mode <- Seq("name", "id"))
    test(s"nested columns with odd names, column mapping by $mode")(withTable("t") {
      createTable("t", rows(nested), properties = Map("delta.columnMapping.mode" -> mode))
      keepingRows("t")(optimize("t", "`a b`.x", files = 4))
      requireSame("t")
    })

  /** By the column's name, zeros of one sign, of both, and bounds that are one of them. */
  private val zeros = Map(
    "only" -> "0.0D",
    "only_negative" -> "-0.0D",
    "only_float" -> "0.0F",
    "only_negative_float" -> "-0.0F",
    "least" -> "id * 1.0D",
    "least_negative" -> "if(id = 0, -0.0D, id * 1.0D)",
    "greatest" -> "-0.0D - id",
    "greatest_positive" -> "if(id = 0, 0.0D, -1.0D * id)",
    "some" -> "if(id % 2 = 0, NULL, 0.0F)",
    "with_nan" -> "if(id = 5, double('NaN'), 0.0D)"
  )

  test("a bound of zero keeps its sign, in the log and in what Delta answers from it")(withTable("t") {
    val columns = zeros.map { case (name, value) => s"$value AS $name" }.mkString(", ")
    val nested = "if(id % 3 = 0, NULL, named_struct('in', named_struct('x', 0.0D, 'y', -0.0F))) AS s"
    createTable("t", sql(s"SELECT id, $columns, $nested FROM range(1000)"))
    // As texts: the two zeros are equal as numbers.
    val answers = (zeros.keys.toSeq :+ "s.in.x" :+ "s.in.y").map { c =>
      s"concat_ws(' to ', cast(min($c) AS STRING), cast(max($c) AS STRING))"
    }
    def answered = sql(s"SELECT ${answers.mkString(", ")} FROM t").head().toSeq
    val before = answered
    keepingRows("t")(optimize("t", "id", files = 4))
    assert(answered === before)
    val s = snapshot("t")
    filesOf("t").foreach { file =>
      val rows: DataFrame = s.deltaLog.createDataFrame(s, Seq(file))
      val collected = rows.select(to_json(s.statsCollector)).head().getString(0)
      assert(JsonUtils.mapper.readTree(file.stats).toString === JsonUtils.mapper.readTree(collected).toString)
    }
    // Answered from the log and by no job over the rows.
    val simple = sql("SELECT min(least), max(greatest) FROM t").queryExecution.optimizedPlan
    assert(simple.collectLeaves().map(_.nodeName) === Seq("LocalRelation"))
  })

  test("timestamps are written with statistics, unless the user asks for the old form") {
    for (form <- Seq("TIMESTAMP_MICROS", "INT96", "TIMESTAMP_MILLIS")) withTable("t") {
      createTable("t", spark.range(1000).selectExpr("id", "timestamp_micros(id * 1001000) AS at"))
      if (form == "TIMESTAMP_MICROS") optimize("t", "id", files = 4)
      else withSQLConf(SQLConf.PARQUET_OUTPUT_TIMESTAMP_TYPE.key -> form)(optimize("t", "id", files = 4))
      requireSame("t")
    }
  }

  test("time zones, and a table without statistics at all") {
    withTable("t") {
      createTable("t", spark.range(1000).selectExpr("id", "timestamp_micros(id * 1001) AS at"))
      withSQLConf(SQLConf.SESSION_LOCAL_TIMEZONE.key -> "Asia/Kathmandu") {
        optimize("t", "id", files = 4)
        requireSame("t")
      }
      withSQLConf(
        "spark.databricks.delta.stats.collect" -> "false",
        "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled" -> "false") {
        keepingRows("t")(optimize("t", "id", files = 2))
        assert(filesOf("t").forall(_.stats == null))
      }
    }
  }
}
