// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import java.io.File

import io.sparkzorder.LongSuite
import io.sparkzorder.skipping.scan.{IndexedScanExec, IndexesInMemory, SkippingSession}

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.{FileSourceScanExec, FormattedMode, SimpleMode}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec
import org.apache.spark.sql.functions._

/** Joins by keys that only a run knows: the same rows from fewer files, with and without adaptive execution. */
class PruneByJoinKeysSuite extends QueryTest with SkippingSession with LongSuite {

  override protected def inShortRing: Set[String] = Set("an inner join reads the files that can hold a match")

  /** Ten files of 100 facts, `id` from 0 to 999 in order, and in memory 100 dimensions with every tenth `id`. */
  private def withTables(body: => Unit): Unit = withTempPath { folder =>
    spark.range(0, 1000, 1, 10)
      .select(
        col("id"),
        (col("id") / 10).cast("int").as("i"),
        format_string("n%04d", col("id")).as("name"),
        when(col("id") % 7 =!= 0, col("id").cast("double")).as("x"),
        struct(col("id").cast("int").as("i")).as("s")
      )
      .write.parquet(folder.getPath)
    withTempView("fact", "dim", "many") {
      indexed(folder) {
        spark.read.parquet(folder.getPath).createOrReplaceTempView("fact")
        dimensions.createOrReplaceTempView("dim")
        body
      }
    }
  }

  /** Of values, so that Spark derives no filter on facts from one on column `f`, which is as `d`. */
  private def dimensions: DataFrame =
    spark.createDataFrame(Range(0, 1000, 10).map(d => (d.toLong, d, d.toLong, d.toDouble, f"n$d%04d", d / 10)))
      .toDF("d", "di", "f", "dx", "dname", "tenth")

  private def onlyScan(data: DataFrame): FileSourceScanExec = {
    val Seq(scan) = scans(data)
    scan
  }

  /** Files that the facts' only scan reads, and files that it left out by keys of joins, after a check of the rows. */
  private def read(query: String): (Long, Long) = readBy(spark.sql(query))

  private def readBy(query: => DataFrame): (Long, Long) = {
    val data = checked(query)
    val scan = onlyScan(data)
    (metric(scan, "numFiles"), scan.metrics.get(IndexedScanExec.FilesPrunedByKeys).fold(-1L)(_.value))
  }

  test("an inner join reads the files that can hold a match") {
    withTables(adaptive {
      assert(read("SELECT * FROM fact JOIN dim ON id = d WHERE f BETWEEN 140 AND 180") === ((1, 9)))
      assert(read("SELECT * FROM dim JOIN fact ON id = d WHERE f IN (0, 990)") === ((2, 8)))
      assert(read("SELECT count(*) FROM fact, dim WHERE id = d AND f % 100 = 0") === ((10, 0)))
      assert(read("SELECT * FROM fact JOIN dim ON name = dname WHERE f < 200") === ((2, 8)))
      assert(read("SELECT * FROM fact JOIN dim ON s.i = di WHERE f < 200") === ((2, 8)))
      // Two keys, which Spark packs into one number.
      assert(read("SELECT * FROM fact JOIN dim ON i = tenth AND s.i = di WHERE f < 200") === ((2, 8)))
      assert(read("SELECT * FROM fact JOIN dim ON id = d AND name = dname WHERE f < 200") === ((2, 8)))
    })
  }

  test("filters and keys leave out files together") {
    withTables(adaptive {
      val data =
        checked(spark.sql("SELECT * FROM fact JOIN dim ON id = d WHERE f < 400 AND s.i >= 300 AND name < 'n0800'"))
      val scan = onlyScan(data)
      assert(metric(scan, "numFiles") === 1)
      assert(metric(scan, IndexedScanExec.FilesPruned) + metric(scan, IndexedScanExec.FilesPrunedByKeys) === 9)
    })
  }

  test("IN and EXISTS, also with a subquery that has more than keys") {
    withTables(adaptive {
      assert(read("SELECT * FROM fact WHERE id IN (SELECT d FROM dim WHERE f % 100 = 90 AND f < 300)") === ((3, 7)))
      assert(read("SELECT * FROM fact WHERE EXISTS (SELECT 1 FROM dim WHERE d = id AND f < 50)") === ((1, 9)))
      assert(read("SELECT * FROM fact WHERE EXISTS (SELECT 1 FROM dim WHERE d = id AND f < 50 AND dx <= x + 1)") === ((
        1,
        9)))
    })
  }

  test("a star join: each dimension leaves out files") {
    withTables(adaptive {
      val query =
        "SELECT * FROM fact JOIN dim a ON id = a.d JOIN dim b ON name = b.dname WHERE a.f < 500 AND b.f >= 450"
      assert(read(query)._1 === 1)
      // Through projections, other joins and sorts.
      assert(read(
        "SELECT * FROM (SELECT id AS k, upper(name) AS u FROM fact LEFT JOIN dim ON id = d) JOIN dim o ON k = o.d " +
          "WHERE o.f < 200") === ((2, 8)))
    })
  }

  test("a view over several tables") {
    withTables(adaptive {
      val data = checked(spark.sql(
        "SELECT * FROM (SELECT id FROM fact UNION ALL SELECT id + 5000 FROM fact) JOIN dim ON id = d WHERE f < 100"))
      assert(scans(data).map(metric(_, "numFiles")).sorted === Seq(0, 1))
    })
  }

  test("keys of other types, and keys that do not keep the order") {
    withTables(adaptive {
      assert(read("SELECT * FROM fact JOIN dim ON id = di WHERE f < 100") === ((1, 9)))
      assert(read("SELECT * FROM fact JOIN dim ON s.i = d WHERE f < 100") === ((1, 9)))
      assert(read("SELECT * FROM fact JOIN dim ON x = dx WHERE f < 100") === ((1, 9)))
      assert(read("SELECT * FROM fact JOIN dim ON x = d WHERE f < 100") === ((1, 9)))
      assert(read("SELECT * FROM fact JOIN dim ON -id = -d WHERE f < 100") === ((1, 9)))
      assert(read("SELECT * FROM fact JOIN dim ON cast(id AS string) = cast(d AS string) WHERE f < 100") === ((10, -1)))
      assert(read("SELECT * FROM fact JOIN dim ON id % 100 = d WHERE f < 100") === ((10, -1)))
    })
  }

  test("a join without keys reads nothing; NULL keys match nothing") {
    withTables(adaptive {
      for ((key, other) <- Seq("id" -> "d", "s.i" -> "di", "name" -> "dname", "x" -> "dx")) {
        val data =
          checked(spark.sql(s"SELECT * FROM fact JOIN (SELECT if(f < 0, $other, NULL) AS n FROM dim) ON $key = n"))
        assert(scans(data).forall(s => metric(s, "numFiles") == 0), key)
      }
      val empty = checked(spark.sql("SELECT * FROM fact JOIN dim ON id = d WHERE f + di < 0"))
      assert(scans(empty).forall(s => metric(s, "numFiles") == 0))
      assert(read("SELECT * FROM fact JOIN dim ON id <=> d WHERE f < 100") === ((1, 9)))
      for (key <- Seq("x" -> "dx", "name" -> "dname")) {
        val other = s"(SELECT if(f < 20, NULL, ${key._2}) AS n FROM dim WHERE f < 100)"
        assert(checked(spark.sql(s"SELECT * FROM fact JOIN $other ON ${key._1} <=> n")).count() > 0)
      }
    })
  }

  test("joins that keep rows without a match read all") {
    withTables(adaptive {
      for {
        query <- Seq(
          "SELECT /*+ BROADCAST(dim) */ * FROM fact LEFT JOIN dim ON id = d AND f < 100",
          "SELECT /*+ BROADCAST(dim) */ * FROM dim RIGHT JOIN fact ON id = d AND f < 100",
          "SELECT * FROM fact FULL JOIN dim ON id = d AND f < 100",
          "SELECT * FROM fact LEFT ANTI JOIN dim ON id = d AND f < 100",
          "SELECT * FROM fact WHERE id NOT IN (SELECT d FROM dim WHERE f < 100)",
          "SELECT id, id IN (SELECT d FROM dim WHERE f < 100) FROM fact",
          "SELECT * FROM fact WHERE name < 'n0001' OR id IN (SELECT d FROM dim WHERE f < 100)"
        )
      } assert(read(query)._1 === 10, query)
    })
  }

  test("what depends on the rows that are left out reads all of them") {
    withTables(adaptive {
      for {
        below <- Seq(
          "(SELECT * FROM fact LIMIT 500)",
          "(SELECT *, row_number() OVER (ORDER BY name) AS r FROM fact)",
          "(SELECT *, rand(5) AS r FROM fact)",
          "(SELECT * FROM fact WHERE rand(5) < 0.5)",
          "(SELECT sum(id) AS id FROM fact)",
          "(SELECT * FROM fact TABLESAMPLE (50 PERCENT) REPEATABLE (3))",
          "(SELECT DISTINCT i, name AS id FROM fact)"
        )
      } {
        val key = if (below.contains("DISTINCT")) "dname" else "d"
        assert(read(s"SELECT below.*, d FROM $below below JOIN dim ON id = $key WHERE f < 100") === ((10, -1)), below)
      }
    })
  }

  test("the names of rows' files do not stand in the way") {
    withTables(adaptive {
      assert(read(
        "SELECT file FROM (SELECT id, input_file_name() AS file FROM fact) JOIN dim ON id = d WHERE f < 100") === ((
        1,
        9)))
    })
  }

  test("numbers of rows and of partitions do: a query may join by them what it reads twice") {
    withTables(adaptive {
      for (number <- Seq("monotonically_increasing_id()", "spark_partition_id()", "input_file_block_start()")) {
        val numbered = s"(SELECT *, $number AS n FROM fact)"
        assert(read(s"SELECT id, n FROM $numbered f JOIN dim ON id = d WHERE f < 100") === ((10, -1)), number)
        checked(
          spark.sql(s"SELECT a.id, count(*) FROM $numbered a JOIN dim ON a.id = d JOIN $numbered b ON a.n = b.n " +
            "WHERE f BETWEEN 500 AND 600 GROUP BY a.id"))
      }
    })
  }

  test("so do those of the rows that come out of the join, in the same stage") {
    withTables(adaptive {
      val joined = "SELECT id, f FROM fact JOIN dim ON id = d WHERE f < 100"
      for (number <- Seq("monotonically_increasing_id()", "spark_partition_id()", "rand(1)", "randstr(5, 1)"))
        assert(read(s"SELECT id, $number AS n FROM ($joined)") === ((10, -1)), number)
    })
  }

  test("a name of a column that MERGE uses, too, makes no difference") {
    withTables(adaptive {
      for (name <- Seq("_row_id_", "__row_id")) {
        val number = s"monotonically_increasing_id() AS $name"
        val joined = "JOIN dim ON id = d WHERE f < 100"
        assert(read(s"SELECT id, $name FROM (SELECT *, $number FROM fact) $joined") === ((10, -1)), name)
        assert(read(s"SELECT id, $number FROM fact $joined") === ((10, -1)), name)
      }
    })
  }

  test(
    "nor is a sample taken of the rows that a join has left of some files: both parts of a split have the same join") {
    withTables(adaptive {
      val joined = "SELECT id, f FROM fact JOIN dim ON id = d WHERE f < 100"
      assert(read(s"SELECT * FROM ($joined) TABLESAMPLE (50 PERCENT) REPEATABLE (3)") === ((10, -1)))
      val parts = spark.sql(joined).randomSplit(Array(0.5, 0.5), seed = 7).map(_.collect().toSeq)
      assert(parts(0).intersect(parts(1)).isEmpty && parts.map(_.size).sum === spark.sql(joined).count())
    })
  }

  test("nor where the rows are dealt out before: a stage that is planned by itself lies below all that is above it") {
    withTables(adaptive {
      def joined = spark.sql("SELECT id, f FROM fact JOIN dim ON id = d WHERE f < 100")
      val dealing =
        Seq[DataFrame => DataFrame](_.repartition(3), _.repartitionByRange(3, col("f")), _.coalesce(1).repartition(2))
      for (dealt <- dealing) {
        assert(readBy(dealt(joined).sample(0.5, 3)) === ((10, -1)))
        assert(readBy(dealt(joined).withColumn("n", monotonically_increasing_id())) === ((10, -1)))
        assert(readBy(dealt(joined).select("id")) === ((1, 9)))
      }
      // Adaptive execution puts partitions together by their sizes, which are others where other tasks aggregate them first.
      val isAdaptive = spark.conf.get("spark.sql.adaptive.enabled").toBoolean
      assert(readBy(joined.groupBy("id").count().sample(0.5, 3)) === (if (isAdaptive) (10, -1) else (1, 9)))
      // By their values.
      assert(readBy(joined.repartition(2, col("id")).sortWithinPartitions("id").sample(0.5, 3)) === ((1, 9)))
    })
  }

  test("an observation counts every row") {
    withTables(adaptive {
      val facts = spark.table("fact").observe("seen", count(lit(1)).as("n"))
      val data = facts.join(broadcast(spark.table("dim").where("f < 100")), col("id") === col("d"))
      assert(data.collect().length === 10)
      assert(data.queryExecution.observedMetrics("seen").getLong(0) === 1000)
    })
  }

  test("self-joins, common table expressions and cached tables") {
    withTables(adaptive {
      val keyed = "WITH k AS (SELECT id, name FROM fact JOIN dim ON id = d WHERE f < 200) "
      for {
        query <- Seq(
          keyed + "SELECT * FROM k a JOIN k b ON a.name = b.name",
          keyed + "SELECT name, count(*) FROM k GROUP BY name UNION ALL SELECT name, count(*) FROM k GROUP BY name",
          "SELECT * FROM fact a JOIN fact b ON a.id = b.id JOIN dim ON a.id = d WHERE f < 100"
        )
      } checked(spark.sql(query))
      spark.sql("CACHE TABLE kept AS SELECT name FROM fact JOIN dim ON id = d WHERE f < 100")
      try {
        assert(spark.table("kept").count() === 10)
        checked(spark.sql("SELECT * FROM fact JOIN kept USING (name)"))
      } finally spark.sql("DROP VIEW kept")
    })
  }

  test("the broadcast is computed once") {
    withTables(adaptive {
      val data = checked(spark.sql("SELECT * FROM fact JOIN dim ON id = d AND name = dname WHERE f < 200"))
      val plan = data.queryExecution.executedPlan
      val broadcasts = collectWithSubqueries(plan) {
        case b: org.apache.spark.sql.execution.exchange.BroadcastExchangeExec => b
      }
      val isAdaptive = spark.conf.get("spark.sql.adaptive.enabled").toBoolean
      if (!isAdaptive) {
        assert(broadcasts.size === 1)
        assert(collectWithSubqueries(plan) { case r: ReusedExchangeExec => r }.nonEmpty)
      } else assert(broadcasts.map(System.identityHashCode).distinct.size === 1)
    })
  }

  test("readers of files get the keys, of many their range") {
    withTables(adaptive {
      def pushed(query: String) =
        onlyScan(checked(spark.sql(query))).asInstanceOf[IndexedScanExec].pushedDownFilters.mkString
      assert(pushed("SELECT * FROM fact JOIN dim ON id = d WHERE f < 30").contains("In(id, [0,10,20]"))
      spark.range(2500).selectExpr("id % 150 AS d", "id").createOrReplaceTempView("many")
      val many = pushed("SELECT * FROM fact JOIN many ON fact.id = many.id WHERE d >= 7")
      assert(many.contains("GreaterThanOrEqual(id,7)") && many.contains("LessThanOrEqual(id,2499)"), many)
    })
  }

  test("the plan says by what a scan will be pruned, and EXPLAIN starts no job") {
    withTables {
      for (on <- Seq("true", "false")) withSQLConf("spark.sql.adaptive.enabled" -> on) {
        val data = spark.sql("SELECT * FROM fact JOIN dim ON id = d WHERE f < 30")
        val jobs = jobsOf {
          for (mode <- Seq(SimpleMode, FormattedMode)) {
            val text = data.queryExecution.explainString(mode)
            val said = if (on == "true") "IN (keys of join by" else "IN joinkeys#"
            assert(text.contains("FilesSkippedBy: statistics index") && text.contains(said), text)
          }
        }
        assert(jobs === Nil && IndexesInMemory.asked === 0)
      }
    }
  }

  test("off by either setting") {
    withTables {
      val query = "SELECT * FROM fact JOIN dim ON id = d WHERE f < 100"
      for (setting <- Seq("skipping.dynamic", "skipping.enabled"))
        withSQLConf(s"spark.sql.zorder.$setting" -> "false")(adaptive(assert(read(query) === ((10, -1)))))
      adaptive(assert(read(query) === ((1, 9))))
    }
  }

  test("keys that Java's values cannot be are not handed to readers") {
    withTempPath { folder =>
      spark.range(3).selectExpr(
        "CASE id WHEN 0 THEN CAST(X'FF' AS STRING) WHEN 1 THEN 'a' ELSE 'b' END AS k",
        "date_add(DATE'1582-10-09', cast(id AS int)) AS day").repartition(3, col("k")).write.parquet(folder.getPath)
      withTempView("odd") {
        indexed(folder) {
          spark.read.parquet(folder.getPath).createOrReplaceTempView("odd")
          adaptive {
            for {
              (column, key) <-
                Seq("k" -> "CAST(X'FF' AS STRING)", "day" -> "DATE'1582-10-10'", "day" -> "DATE'1582-10-09'")
            } assert(checked(spark.sql(
              s"SELECT * FROM odd JOIN (SELECT if(id = 0, $key, NULL) AS o FROM range(1)) ON $column = o")).count() === 1)
          }
        }
      }
    }
  }

  test("without reuse of exchanges a broadcast is not computed twice") {
    withTables(withSQLConf("spark.sql.adaptive.enabled" -> "false", "spark.sql.exchange.reuse" -> "false") {
      assert(read("SELECT * FROM fact JOIN dim ON id = d WHERE f < 100") === ((10, -1)))
    })
  }

  test("a stream's own broadcast stays where its watermark is looked for") {
    withTempDir { folder =>
      withTables(withTempView("late") {
        val arrived = new File(folder, "arrived")
        def arrive(second: Int): Unit =
          spark.range(10).selectExpr("id * 10 AS d", s"timestamp_seconds($second + id) AS at")
            .coalesce(1).write.mode("append").parquet(arrived.getPath)
        arrive(0)
        val stream = spark.readStream.schema("d BIGINT, at TIMESTAMP").parquet(arrived.getPath)
          .withWatermark("at", "1 second")
        val counted = spark.table("fact").join(broadcast(stream), col("id") === col("d"))
          .groupBy(window(col("at"), "10 seconds")).count().selectExpr("window.start AS start", "count")
        val query = counted.writeStream.format("memory").queryName("late").start()
        try
          for (second <- Seq(100, 200)) {
            query.processAllAvailable()
            arrive(second)
          }
        finally {
          query.processAllAvailable()
          query.stop()
        }
        // Windows that the watermark has closed.
        checkAnswer(spark.sql("SELECT unix_timestamp(start), count FROM late"), Seq(Row(0, 10), Row(100, 10)))
      })
    }
  }

  test("rows that are others when they are read again leave out no files") {
    withTables(withSQLConf("spark.sql.adaptive.enabled" -> "false") {
      val latest = spark.read.format(classOf[LatestRows].getName).load()
      val joined = spark.table("fact").join(broadcast(latest), col("id") === col("d"))
      assert(joined.collect().length === LatestRows.read.get)
      assert(metric(onlyScan(joined), "numFiles") === 10)
      // A sample of a join in which one of the tables is read elsewhere, too.
      val sampled = "(SELECT /*+ MERGE(dim) */ fact.id AS s FROM fact JOIN dim ON id = d WHERE f < 500 LIMIT 20)"
      val once =
        spark.sql(s"SELECT /*+ BROADCAST(s) */ * FROM fact a JOIN $sampled s ON a.id = s.s JOIN fact b ON b.id = a.id")
      assert(once.collect().length === 20)
    })
  }

  test("broadcasts of broadcasts are planned once") {
    withTables(withSQLConf("spark.sql.adaptive.enabled" -> "false") {
      val nested = (1 to 14).foldLeft("SELECT id FROM fact") { (inner, i) =>
        s"SELECT /*+ BROADCAST(n$i) */ fact.id FROM fact JOIN ($inner) n$i ON fact.id = n$i.id"
      }
      // Each level would double the time of planning.
      assert(spark.sql(nested).queryExecution.executedPlan.collect { case s: FileSourceScanExec => s }.size <= 15)
    })
  }
}
