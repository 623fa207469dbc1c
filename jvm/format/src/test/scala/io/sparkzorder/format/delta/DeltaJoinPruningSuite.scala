// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.{DailyTest, DeltaSession, LongSuite}
import io.sparkzorder.skipping.scan.{IndexedScanExec, ScanFileIndex}

import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.execution.{FileSourceScanExec, QueryExecution}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.util.QueryExecutionListener

/** Joins with Delta tables and MERGE into them by keys that only a run knows: the same rows from fewer files. */
class DeltaJoinPruningSuite extends QueryTest with DeltaSession with AdaptiveSparkPlanHelper with LongSuite {

  override protected def inShortRing: Set[String] =
    Set("a join leaves out files without its keys", "MERGE looks for matches in the files that can hold one")

  /** Ten files of 100 rows, `id` from 0 to 999 in order. */
  private def facts: DataFrame = spark.range(0, 1000, 1, 10).selectExpr(
    "id",
    "cast(id AS int) AS i",
    "format_string('%s%04d', repeat('n', 40), id) AS name",
    "timestamp_micros(id * 1000001) AS at",
    "id / 2 AS half",
    "id % 3 AS p"
  )

  private def dimensions: DataFrame =
    spark.createDataFrame(Range(0, 1000, 10).map(d => (d.toLong, d, d.toLong, d / 2.0)))
      .toDF("d", "di", "f", "dhalf")
      .selectExpr("*", "format_string('%s%04d', repeat('n', 40), d) AS dname", "timestamp_micros(d * 1000001) AS dat")

  private def withTables(properties: (String, String)*)(body: => Unit): Unit = withTable("t") {
    withTempView("dim") {
      val writer = facts.writeTo("t").using("delta")
      properties.foldLeft(writer) { case (w, (k, v)) => w.tableProperty(k, v) }.create()
      dimensions.createOrReplaceTempView("dim")
      body
    }
  }

  private def scansOf(plan: org.apache.spark.sql.execution.SparkPlan, of: String = "/t"): Seq[FileSourceScanExec] =
    collectWithSubqueries(plan) { case s: FileSourceScanExec => s }.filter(_.relation.location.rootPaths.exists(
      _.toString.endsWith(of)))

  private def figures(scan: FileSourceScanExec): (Long, Long) =
    (scan.metrics("numFiles").value, scan.metrics.get(IndexedScanExec.FilesPrunedByKeys).fold(-1L)(_.value))

  /** Files that the only scan of `t` reads, and those that it left out by keys of joins, after a check of the rows. */
  private def read(query: String): (Long, Long) = {
    val expected = withSQLConf("spark.sql.zorder.skipping.dynamic" -> "false")(sql(query).collect().toSeq)
    val data = sql(query)
    checkAnswer(data, expected)
    val Seq(scan) = scansOf(data.queryExecution.executedPlan)
    figures(scan)
  }

  /** The scans of `t` in all that `body` runs, most files first. */
  private def scansIn(body: => Unit, of: String = "/t"): Seq[(Long, Long)] = {
    val plans = new java.util.concurrent.ConcurrentLinkedQueue[QueryExecution]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit = plans.add(execution)
      override def onFailure(name: String, execution: QueryExecution, error: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    // Returns when all events have been heard.
    try jobsOf(body)
    finally spark.listenerManager.unregister(listener)
    plans.toArray(Array.empty[QueryExecution]).toSeq.flatMap(e => scansOf(e.executedPlan, of)).map(figures)
  }

  private def adaptive(body: => Unit): Unit =
    for (on <- Seq("true", "false")) withSQLConf("spark.sql.adaptive.enabled" -> on)(body)

  test("a join leaves out files without its keys", DailyTest) {
    withTables() {
      adaptive {
        assert(read("SELECT * FROM t JOIN dim ON id = d WHERE f BETWEEN 140 AND 180") === ((1, 9)))
        assert(read("SELECT * FROM t WHERE id IN (SELECT d FROM dim WHERE f IN (0, 990))") === ((2, 8)))
        assert(read("SELECT * FROM t JOIN dim ON at = dat WHERE f < 100") === ((1, 9)))
        assert(read("SELECT * FROM t JOIN dim ON half = dhalf WHERE f < 100") === ((1, 9)))
        // Bounds are cut before the digits.
        assert(read("SELECT * FROM t JOIN dim ON name = dname WHERE f < 100") === ((10, 0)))
        assert(read("SELECT * FROM t JOIN dim ON id = d WHERE f < 500 AND i > 350") === ((2, 5)))
        assert(read("SELECT * FROM t LEFT ANTI JOIN dim ON id = d AND f < 100") === ((10, -1)))
      }
    }
  }

  test("columns in other letters than the table's") {
    withTables() {
      adaptive {
        assert(read("SELECT * FROM t JOIN dim ON ID = D WHERE F BETWEEN 140 AND 180") === ((1, 9)))
        assert(read("SELECT * FROM t WHERE Id IN (SELECT d FROM dim WHERE f IN (0, 990))") === ((2, 8)))
        assert(read("SELECT * FROM t WHERE I >= 0 ORDER BY ID LIMIT 5") === ((1, -1)))
        assert(read("SELECT * FROM t WHERE ID = (SELECT max(d) FROM dim)")._1 === 1)
        assert(scansIn(sql("MERGE INTO t USING (SELECT * FROM dim WHERE f < 100) s ON t.ID = s.D " +
          "WHEN MATCHED THEN UPDATE SET P = 5")).contains((1, 9)))
      }
    }
  }

  test("a join that shuffles both sides, and MERGE by one") {
    withTempView("wide") {
      spark.range(0, 100000, 1, 10).selectExpr("id", "hash(id) AS h").writeTo("t").using("delta").createOrReplace()
      spark.range(0, 100000, 100, 1).selectExpr("id AS d", "id AS f").writeTo("wide").using("delta").createOrReplace()
      try withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
          adaptive {
            assert(read("SELECT * FROM t JOIN wide ON id = d WHERE f + 0 BETWEEN 11000 AND 18000") === ((1, 9)))
            assert(read("SELECT * FROM t LEFT SEMI JOIN wide ON id = d AND f + 0 > 85000") === ((2, 8)))
            assert(read("SELECT * FROM t LEFT JOIN wide ON id = d AND f + 0 > 85000") === ((10, -1)))
          }
          // Adaptive execution drops such a join.
          withSQLConf("spark.sql.adaptive.enabled" -> "false")(
            assert(read("SELECT * FROM t JOIN wide ON id = d WHERE f + 0 < -5") === ((0, 10))))
          spark.table("wide").where("f + 0 BETWEEN 11000 AND 18000").write.mode("overwrite").saveAsTable("keys")
          val scans = scansIn {
            sql(
              "MERGE INTO t USING (SELECT d FROM keys WHERE d >= 0) s ON t.id = s.d WHEN MATCHED THEN UPDATE SET h = 0")
          }
          assert(scans.contains((1, 9)) && !scans.exists(_._1 > 1), scans)
          assert(spark.table("t").where("h = 0").count() === 71)
          val metrics = sql("DESCRIBE HISTORY t LIMIT 1").select("operationMetrics").head().getMap[String, String](0)
          assert(metrics("numSourceRows") === "71" && metrics("numTargetRowsUpdated") === "71")
          assert(spark.table("t").count() === 100000)
        }
      finally Seq("t", "wide", "keys").foreach(t => sql(s"DROP TABLE IF EXISTS $t"))
    }
  }

  test("a Delta table of which a query has the newest version each time gives no bounds") {
    val folder = java.nio.file.Files.createTempDirectory("facts").resolve("facts").toString
    spark.range(0, 100000, 1, 10).selectExpr("id", "hash(id) AS h").write.parquet(folder)
    sql(s"ANALYZE TABLE parquet.`$folder` COMPUTE FILE STATISTICS").collect()
    spark.range(0, 100000, 100, 1).selectExpr("id AS d", "id AS f").writeTo("wide").using("delta").createOrReplace()
    val query = s"SELECT * FROM parquet.`$folder` JOIN wide ON id = d WHERE f + 0 < 9000"
    def figuresIn(body: => Unit): Seq[(Long, Long)] = scansIn(body, "/facts")
    try withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1")(adaptive {
        assert(figuresIn(sql(query).collect()) === Seq((1, 9)))
        // Delta leaves writes by other connectors' tables as they are, so that each listing is of the newest version.
        val written = figuresIn(sql(query).write.format("noop").mode("overwrite").save())
        assert(written.nonEmpty && written.forall(_._1 == 10), written)
      })
    finally sql("DROP TABLE IF EXISTS wide")
  }

  /** Whether the statistics of the table's version are there after a query. */
  private def areLoadedBy(query: String): Boolean = {
    val data = sql(query)
    data.collect()
    scansOf(data.queryExecution.executedPlan).map(_.relation.location).map {
      case index: ScanFileIndex => index.delegate
      case other => other
    }.exists(DeltaListedStatistics.of(spark, _).exists(_.loaded.isDefined))
  }

  test("statistics are loaded only where they may tell files apart, and enough of them") {
    def create(files: Int) = spark.range(0, 1000, 1, files).selectExpr("id", "id % 2 = 0 AS b", "id DIV 500 AS p")
      .write.format("delta").partitionBy("p").mode("overwrite").saveAsTable("t")
    try {
      create(10)
      for (query <-
          Seq("SELECT * FROM t ORDER BY p LIMIT 3", "SELECT max(b) FROM t", "SELECT max(p) FROM t WHERE id >= 0"))
        assert(!areLoadedBy(query), query)
      assert(areLoadedBy("SELECT * FROM t ORDER BY id LIMIT 3"))
      // Two of some hundreds.
      sql("DROP TABLE t")
      create(250)
      sql("INSERT INTO t SELECT id, true, 7 FROM range(0, 100, 1, 2)")
      assert(!areLoadedBy("SELECT * FROM t WHERE p = 7 ORDER BY id LIMIT 3"))
      assert(areLoadedBy("SELECT * FROM t WHERE p = 0 ORDER BY id LIMIT 3"))
    } finally sql("DROP TABLE IF EXISTS t")
  }

  test("keys of a column that has all of its values in each file are not looked for") {
    def readsOf(table: String, query: String): Int = {
      val data = sql(query)
      data.collect()
      collectWithSubqueries(data.queryExecution.executedPlan) { case s: FileSourceScanExec => s }
        .filter(s => s.relation.location.rootPaths.exists(_.toString.endsWith(s"/$table")))
        .distinctBy(System.identityHashCode).count(_.metrics("numFiles").value > 0)
    }
    spark.range(0, 100000, 1, 10).selectExpr("id", "hash(id) AS h").writeTo("t").using("delta").createOrReplace()
    spark.range(0, 100000, 100, 1).selectExpr("id AS d", "id AS f").writeTo("wide").using("delta").createOrReplace()
    try {
      withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1")(adaptive {
        assert(readsOf("wide", "SELECT id FROM t JOIN wide ON id = d WHERE f + 0 < 9000") === 2)
        assert(readsOf("wide", "SELECT id FROM t JOIN wide ON h = d WHERE f + 0 < 9000") === 1)
        // Of files whose statistics are there, it is known before: no query for bounds is planned.
        def isAsked(key: String) =
          sql(s"SELECT id FROM t JOIN wide ON $key = d WHERE f + 0 < 9000").queryExecution.executedPlan.toString
            .contains("keys of join")
        assert(isAsked("id") && !isAsked("h"))
      })
      adaptive {
        assert(read("SELECT t.id FROM t JOIN range(5000) r ON t.id = r.id") === ((1, 9)))
        // So few go to readers, which may leave out pages.
        assert(read("SELECT t.id FROM t JOIN range(10) r ON h = r.id") === ((10, 0)))
      }
      // How many rows a side has, only adaptive execution knows.
      for (keys <- Seq(1000, 5000))
        assert(read(s"SELECT t.id FROM t JOIN range($keys) r ON h = r.id") === ((10, -1)))
    } finally Seq("t", "wide").foreach(t => sql(s"DROP TABLE IF EXISTS $t"))
  }

  test("values that a query has only when it runs") {
    withTables() {
      adaptive {
        for {
          query <- Seq(
            "SELECT * FROM t WHERE id >= (SELECT max(d) FROM dim)",
            "SELECT * FROM t WHERE id BETWEEN (SELECT min(d) FROM dim WHERE f >= 320) AND (SELECT min(d) FROM dim WHERE f > 320)"
          )
        } assert(read(query)._1 === 1, query)
      }
    }
  }

  test("partitions, column mapping and a renamed column") {
    withTable("t") {
      withTempView("dim") {
        facts.write.format("delta").partitionBy("p").option("delta.columnMapping.mode", "name").saveAsTable("t")
        dimensions.createOrReplaceTempView("dim")
        sql("ALTER TABLE t RENAME COLUMN id TO key")
        adaptive {
          assert(read("SELECT * FROM t JOIN dim ON key = d WHERE f < 100")._1 === 3)
          assert(read("SELECT * FROM t JOIN dim ON key = d WHERE f < 100 AND p = 1")._1 === 1)
          assert(read("SELECT * FROM t JOIN dim ON p = d AND i = di WHERE f < 100")._1 <= 3)
        }
      }
    }
  }

  test("deletion vectors: the statistics are of deleted rows, too") {
    withTables("delta.enableDeletionVectors" -> "true") {
      sql("UPDATE t SET half = NULL WHERE id % 100 >= 20")
      sql("DELETE FROM t WHERE id % 100 BETWEEN 20 AND 90")
      adaptive {
        read("SELECT * FROM t JOIN dim ON half = dhalf WHERE f < 100")
        assert(read("SELECT * FROM t JOIN dim ON id = d WHERE f < 100")._1 <= 2)
      }
    }
  }

  test("files without statistics, and one more version") {
    withTables() {
      withSQLConf("spark.databricks.delta.stats.collect" -> "false")(sql("INSERT INTO t SELECT * FROM t WHERE id = 5"))
      adaptive {
        assert(read("SELECT * FROM t JOIN dim ON id = d WHERE f BETWEEN 140 AND 180") === ((2, 9)))
        assert(read("SELECT * FROM t VERSION AS OF 0 JOIN dim ON id = d WHERE f < 100") === ((1, 9)))
      }
    }
  }

  test("MERGE looks for matches in the files that can hold one") {
    for (vectors <- Seq("true", "false")) withTables("delta.enableDeletionVectors" -> vectors) {
      val scans = scansIn {
        sql("MERGE INTO t USING (SELECT * FROM dim WHERE f < 100) s ON t.id = s.d " +
          "WHEN MATCHED THEN UPDATE SET half = -1 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.d)")
      }
      assert(scans.contains((1, 9)), scans)
      assert(!scans.exists(_._1 > 1), scans)
      val expected = facts.selectExpr("id", "if(id < 100 and id % 10 = 0, -1, half)")
      checkAnswer(sql("SELECT id, half FROM t"), expected)
      val metrics = sql("DESCRIBE HISTORY t LIMIT 1").select("operationMetrics").head().getMap[String, String](0)
      assert(metrics("numSourceRows") === "10" && metrics("numTargetRowsUpdated") === "10")
    }
  }

  test("MERGE that inserts alone, and one by keys of another type, with both sides shuffled") {
    withTables() {
      withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val inserted =
          scansIn(sql("MERGE INTO t USING (SELECT di AS k FROM dim WHERE f < 140) s ON t.id = s.k " +
            "WHEN NOT MATCHED THEN INSERT (id, half) VALUES (s.k, -1)"))
        assert(inserted.contains((2, 8)) && !inserted.exists(_._1 > 2), inserted)
        val updated = scansIn(
          sql("MERGE INTO t USING (SELECT di FROM dim WHERE f < 100) s ON t.id = s.di WHEN MATCHED THEN UPDATE SET half = -2"))
        assert(updated.contains((1, 9)) && !updated.exists(_._1 > 1), updated)
      }
      checkAnswer(sql("SELECT id, half FROM t"), facts.selectExpr("id", "if(id < 100 and id % 10 = 0, -2, half)"))
    }
  }

  test("MERGE with rows that are in no source row's file") {
    withTables() {
      sql("MERGE INTO t USING (SELECT * FROM dim WHERE f < 100) s ON t.id = s.d WHEN MATCHED THEN DELETE " +
        "WHEN NOT MATCHED BY SOURCE AND t.id >= 900 THEN UPDATE SET half = -2")
      checkAnswer(
        sql("SELECT id, half FROM t"),
        facts.where("not (id < 100 and id % 10 = 0)").selectExpr("id", "if(id >= 900, -2, half)"))
      sql("MERGE INTO t USING (SELECT d + 5000 AS d FROM dim) s ON t.id = s.d WHEN MATCHED THEN DELETE " +
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.d)")
      assert(spark.table("t").count() === 990 + 100)
      sql("MERGE INTO t USING (SELECT d + 5000 AS d FROM dim) s ON t.id = s.d WHEN NOT MATCHED THEN INSERT (id) VALUES (s.d)")
      assert(spark.table("t").count() === 990 + 100)
    }
  }

  test("changes are read whole") {
    withTables("delta.enableChangeDataFeed" -> "true") {
      sql("UPDATE t SET half = 0 WHERE id % 100 = 50")
      val changes = "SELECT * FROM table_changes('t', 0) JOIN dim ON id = d WHERE f < 100"
      val expected = withSQLConf("spark.sql.zorder.skipping.dynamic" -> "false")(sql(changes).collect().toSeq)
      checkAnswer(sql(changes), expected)
    }
  }

  /** The rows of a query are those that it has without dynamic skipping. */
  private def requireSameRows(query: String): Unit = {
    val expected =
      withSQLConf("spark.sql.zorder.skipping.dynamic" -> "false")(sql(query).collect().map(_.toString).sorted)
    assert(sql(query).collect().map(_.toString).sorted === expected, query)
  }

  test("bounds that the log has otherwise than the files: FLOAT made DOUBLE, bytes that are no text, the last moment") {
    withTable("t") {
      sql("CREATE TABLE t (k FLOAT, f INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
      sql("INSERT INTO t VALUES (CAST(0.1 AS FLOAT), 0)")
      sql("ALTER TABLE t ALTER COLUMN k TYPE DOUBLE")
      requireSameRows("SELECT f FROM t JOIN (SELECT if(id = 0, CAST(CAST(0.1 AS FLOAT) AS DOUBLE), NULL) AS k FROM range(1)) USING (k)")
      requireSameRows("SELECT max(k) FROM t")
    }
    withTable("t") {
      sql("CREATE TABLE t (k STRING) USING delta")
      val long = "concat(repeat('x', 32), CAST(X'FF' AS STRING))"
      for (value <- Seq("'a'", "CAST(X'FF' AS STRING)", "CAST(X'80' AS STRING)", "'\ud83d\ude00'", long))
        sql(s"INSERT INTO t VALUES ($value)")
      for (key <- Seq("CAST(X'FF' AS STRING)", "CAST(X'80' AS STRING)", long))
        requireSameRows(s"SELECT hex(k) FROM t JOIN (SELECT if(id = 0, $key, NULL) AS k FROM range(1)) USING (k)")
      requireSameRows("SELECT hex(k) FROM (SELECT k FROM t ORDER BY k DESC LIMIT 1)")
      requireSameRows("SELECT hex(max(k)) FROM t")
    }
    withTable("t") {
      sql("CREATE TABLE t (k TIMESTAMP) USING delta")
      for (micros <- Seq("-9223372036854775808L", "0L", "9223372036854775807L"))
        sql(s"INSERT INTO t VALUES (timestamp_micros($micros))")
      for (micros <- Seq("-9223372036854775808L", "9223372036854775807L"))
        requireSameRows(
          s"SELECT unix_micros(k) FROM t JOIN (SELECT if(id = 0, timestamp_micros($micros), NULL) AS k FROM range(1)) USING (k)")
    }
  }

  test("first rows of a table of which files may be missing") {
    withTables() {
      // The one that holds the least.
      val file = filesOf("t").minBy(f => "\"id\":(\\d+)".r.findFirstMatchIn(f.stats).get.group(1).toLong)
      withSQLConf("spark.sql.files.ignoreMissingFiles" -> "true") {
        assert(new java.io.File(locationOf("t", file).stripPrefix("file:")).delete())
        requireSameRows("SELECT id FROM t ORDER BY id LIMIT 3")
        requireSameRows("SELECT id FROM t ORDER BY id DESC LIMIT 3")
        requireSameRows("SELECT max(i), min(i) FROM t")
      }
    }
  }
}
