// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import io.sparkzorder.write.WrittenOrder
import io.sparkzorder.LongSuite
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.{DataFrame, Observation, QueryTest, Row, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.functions.{col, count, lit}
import org.apache.spark.sql.streaming.Trigger

/** Writes to Parquet tables of the session catalog, each read back file by file. */
class OrderTableWritesSuite extends QueryTest with LongSuite with WrittenOrder {

  override protected def inShortRing: Set[String] = Set(
    "INSERT INTO and INSERT OVERWRITE, by SQL and insertInto",
    "EXPLAIN names order and columns; an order that the query delivers is not made again, any other is overruled",
    "an order that is not valid fails the write before anything is written, or is left out with a warning",
    "an order that another session sets or ends counts for the next write"
  )

  private val zorder = "'sort.columns' = 'a,b', 'sort.order' = 'ZORDER'"
  private val lexical = "'sort.columns' = 'b,a'"

  private def data(rows: Int = 4000): DataFrame = mixedRows(rows)(
    "concat('part ', pmod(xxhash64(id, 2), 3)) AS p",
    "cast(pmod(xxhash64(id, 3), 2) as int) AS q")

  private def folder(table: String): String =
    spark.sessionState.catalog.getTableMetadata(TableIdentifier(table)).location.toString

  /** All files of the table are in order, and the table has just these rows. */
  private def check(table: String, expected: DataFrame, columns: Seq[String] = Seq("a", "b"), isZOrder: Boolean = true)
      : Unit = {
    val files = dataFiles(folder(table))
    assert(files.nonEmpty)
    files.foreach(f => if (isZOrder) assertZOrdered(f, columns) else assertSorted(rowsOf(f, columns)))
    checkAnswer(spark.table(table), expected.collect().toSeq)
  }

  test("INSERT INTO and INSERT OVERWRITE, by SQL and insertInto") {
    withTable("t") {
      data().createOrReplaceTempView("source")
      sql(s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet TBLPROPERTIES ($zorder)")
      sql("INSERT INTO t SELECT * FROM source")
      check("t", data())
      data(1000).write.insertInto("t")
      check("t", data().union(data(1000)))
      sql("INSERT OVERWRITE t SELECT * FROM source WHERE id < 3000")
      check("t", data(3000))
      sql("INSERT INTO t BY NAME SELECT q, p, b, a, id FROM source WHERE id < 500")
      check("t", data(3000).union(data(500)))
    }
  }

  test("CTAS, saveAsTable and append") {
    withTable("t", "u") {
      data().createOrReplaceTempView("source")
      sql(s"CREATE TABLE t USING parquet TBLPROPERTIES ($zorder) AS SELECT * FROM source")
      check("t", data())
      data(500).write.mode("append").saveAsTable("t")
      check("t", data().union(data(500)))
      sql(
        s"CREATE TABLE u USING parquet PARTITIONED BY (p) TBLPROPERTIES ($zorder) AS SELECT id, a, b, q, p FROM source")
      check("u", data().select("id", "a", "b", "q", "p"))
    }
  }

  for (planned <- Seq(true, false); adaptive <- Seq(true, false))
    test(s"partitions, dynamic and static, with planned writes $planned and adaptive execution $adaptive") {
      withSQLConf(
        "spark.sql.optimizer.plannedWrite.enabled" -> planned.toString,
        "spark.sql.adaptive.enabled" -> adaptive.toString,
        "spark.sql.sources.partitionOverwriteMode" -> "dynamic"
      ) {
        withTable("t") {
          // NULL and the empty string have one folder, and are read as NULL.
          val written =
            data().selectExpr("id", "a", "b", "case when p <> 'part 1' then p when id % 2 = 0 then '' end AS p", "q")
          val rows = written.selectExpr("id", "a", "b", "nullif(p, '') AS p", "q")
          written.createOrReplaceTempView("source")
          sql("CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet PARTITIONED BY (p, q) " +
            s"TBLPROPERTIES ($zorder)")
          if (planned)
            for (partition <- Seq("p, q", "'x', q", "p, 1", "'x', 1"))
              assert(sortsBelowWrite(s"INSERT INTO t SELECT id, a, b, $partition FROM source") === 1, partition)
          sql("INSERT INTO t SELECT * FROM source DISTRIBUTE BY id % 3")
          check("t", rows)
          sql("INSERT OVERWRITE t PARTITION (p = 'part 2', q) SELECT id, a, b, q FROM source WHERE p = 'part 2'")
          check("t", rows)
          sql("INSERT OVERWRITE t PARTITION (p = 'part 2', q = 1) " +
            "SELECT id, a, b FROM source WHERE p = 'part 2' AND q = 1")
          check("t", rows)
          sql("INSERT OVERWRITE t SELECT id, a, b, 'part 0', q FROM source WHERE p = 'part 0'")
          check("t", rows)
        }
      }
    }

  test("a lexical order, and one that is global") {
    withTable("t", "u") {
      data().createOrReplaceTempView("source")
      sql(s"CREATE TABLE t USING parquet TBLPROPERTIES ($lexical) AS SELECT * FROM source")
      check("t", data(), Seq("b", "a"), isZOrder = false)
      sql("CREATE TABLE u USING parquet TBLPROPERTIES ('sort.scope' = 'global', 'sort.columns' = 'b,a') " +
        "AS SELECT * FROM source")
      check("u", data(), Seq("b", "a"), isZOrder = false)
    }
  }

  private def sortsBelowWrite(query: String): Int =
    sql(s"EXPLAIN $query").head().getString(0).linesIterator.count(l =>
      l.contains("Sort [") || l.contains("CurveSort ["))

  test("EXPLAIN names order and columns; an order that the query delivers is not made again, any other is overruled") {
    withTable("t", "r", "l") {
      data().createOrReplaceTempView("source")
      for ((table, properties) <- Seq("t" -> zorder, "r" -> s"$zorder, 'sort.key' = 'raw'", "l" -> lexical))
        sql(
          s"CREATE TABLE $table (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet TBLPROPERTIES ($properties)")
      def explained(query: String) = sql(s"EXPLAIN $query").head().getString(0)
      assert(explained("INSERT INTO t SELECT * FROM source").contains(
        "SORT BY ZORDER (a, b) of spark_catalog.default.t, local, ranks"))
      val overruled = explained("INSERT INTO t SELECT * FROM source ORDER BY id")
      assert(overruled.contains("in place of the query's own order") && !overruled.contains("Sort [id"))
      val limited = explained("INSERT INTO t SELECT * FROM source ORDER BY id LIMIT 10")
      assert(!limited.contains("in place of") && limited.contains("orderBy=[id"))
      val raw = explained("INSERT INTO r SELECT * FROM source SORT BY zorder_key(a, b)")
      assert(raw.contains("as the query delivers them") && sortsBelowWrite(
        "INSERT INTO r SELECT * FROM source SORT BY zorder_key(a, b)") === 1)
      assert(sortsBelowWrite("INSERT INTO l SELECT * FROM source SORT BY b, a") === 1)
      assert(sortsBelowWrite("INSERT INTO t SELECT * FROM source SORT BY b, a") === 1)
      sql("INSERT INTO r SELECT * FROM source SORT BY zorder_key(a, b)")
      checkAnswer(spark.table("r"), data().collect().toSeq)
    }
  }

  test("an order that is not valid fails the write before anything is written, or is left out with a warning") {
    withTable("t") {
      data().createOrReplaceTempView("source")
      sql("CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet")
      sql("INSERT INTO t SELECT * FROM source")
      for ((columns, condition) <- Seq("'a,gone'" -> "ZORDER_SORT_COLUMN_GONE", "'a.b'" -> "ZORDER_SORT_COLUMN_GONE")) {
        setProperties(s"'sort.columns' = $columns")
        val before = dataFiles(folder("t"))
        val error = intercept[ZOrderAnalysisException](sql("INSERT OVERWRITE t SELECT * FROM source"))
        assert(error.getCondition === condition)
        assert(error.getMessageParameters.get("table") === "spark_catalog.default.t")
        assert(dataFiles(folder("t")) === before)
      }
      setProperties("'sort.columns' = 'a', 'sort.order' = 'RANDOM'")
      val error = intercept[ZOrderAnalysisException](sql("INSERT INTO t SELECT * FROM source"))
      assert(error.getCondition === "ZORDER_INVALID_TABLE_PROPERTY")
      withSQLConf("spark.sql.zorder.write.onInvalid" -> "warn") {
        sql("INSERT INTO t SELECT * FROM source")
        setProperties("'sort.columns' = 'a,gone', 'sort.order' = 'ZORDER'")
        sql("INSERT INTO t SELECT * FROM source")
      }
      checkAnswer(spark.table("t"), Seq.fill(3)(data()).reduce(_ union _).collect().toSeq)
    }
  }

  /** As another program would, without a look at the columns. */
  private def setProperties(properties: String): Unit = {
    val catalog = spark.sessionState.catalog
    val table = catalog.getTableMetadata(TableIdentifier("t"))
    val pairs = properties.split("', '|, '(?=sort)").map(_.replace("'", "").split(" = ")).map(p => p(0) -> p(1))
    catalog.alterTable(table.copy(properties = table.properties ++ pairs))
    spark.catalog.refreshTable("t")
  }

  test("an order that another session sets or ends counts for the next write") {
    withTable("t") {
      val other = spark.newSession()
      sql("CREATE TABLE t (a INT, b INT) USING parquet")
      val insert = "INSERT INTO t SELECT cast(pmod(hash(id), 1000) AS INT), cast(-id AS INT) FROM range(0, 300, 1, 1)"
      def added(session: SparkSession): Seq[Row] = {
        val before = dataFiles(folder("t"))
        session.sql(insert)
        // From here on the session knows the table, and forgets it only where it alters it itself.
        session.table("t").collect()
        dataFiles(folder("t")).diff(before).flatMap(rowsOf(_, Seq("a", "b")))
      }
      val asTheyCome = added(spark)
      assert(added(other) === asTheyCome)
      other.sql("ALTER TABLE t SORT BY (a)")
      assertSorted(added(spark).map(row => Row(row.get(0))))
      sql("ALTER TABLE t SORT BY (b)")
      assert(added(other) === asTheyCome.reverse)
      other.sql("ALTER TABLE t SORT BY ()")
      assert(added(spark) === asTheyCome)
    }
  }

  test("a stream that runs obeys an order from its next batch on") {
    withTable("t", "arrivals") {
      withTempDir { checkpoint =>
        for (table <- Seq("arrivals", "t")) sql(s"CREATE TABLE $table (a INT) USING parquet")
        val query =
          spark.readStream.table("arrivals").writeStream.option("checkpointLocation", checkpoint.toString).toTable("t")
        def batch(): Seq[Row] = {
          val before = dataFiles(folder("t"))
          sql("INSERT INTO arrivals SELECT cast(pmod(hash(id), 1000) AS INT) FROM range(0, 300, 1, 1)")
          query.processAllAvailable()
          dataFiles(folder("t")).diff(before).flatMap(rowsOf(_, Seq("a")))
        }
        try {
          val asTheyCome = batch()
          sql("ALTER TABLE t SORT BY (a)")
          assertSorted(batch())
          sql("ALTER TABLE t SORT BY ()")
          assert(batch() === asTheyCome)
        } finally query.stop()
      }
    }
  }

  for (partitions <- Seq(Nil, Seq("p")))
    test(s"twenty batches of a stream, with a restart in between, partitioned by (${partitions.mkString})") {
      withTable("t", "in") {
        withTempDir { checkpoint =>
          sql(s"CREATE TABLE in (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet")
          val partitionBy = if (partitions.isEmpty) "" else s"PARTITIONED BY (${partitions.mkString})"
          sql(s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet $partitionBy " +
            s"TBLPROPERTIES ($zorder)")
          val columns = spark.table("t").columns.map(col).toSeq
          for (run <- 0 until 2) {
            for (batch <- 0 until 10)
              data(300).selectExpr(s"id + ${300 * (10 * run + batch)} AS id", "a", "b", "p", "q").coalesce(1)
                .write.mode("append").saveAsTable("in")
            spark.readStream.option("maxFilesPerTrigger", 1).table("in").select(columns: _*).writeStream
              .partitionBy(partitions: _*)
              .option("checkpointLocation", checkpoint.toString).trigger(Trigger.AvailableNow()).toTable("t")
              .awaitTermination()
          }
          val source = spark.table("in").select(columns: _*)
          check("t", source)
          assert(source.count() === 6000)
        }
      }
    }

  test("no rows, rows of one value, fields of structs, wide rows, statistics and layout right after the write") {
    withTable("t", "u", "w") {
      for (scope <- Seq("local", "global")) {
        sql("CREATE OR REPLACE TEMPORARY VIEW source AS SELECT id, named_struct('x', id % 7, 'y', named_struct('z', " +
          "cast(hash(id) as string))) AS s FROM range(1000)")
        sql("CREATE TABLE t USING parquet SORT BY ZORDER (s.x, s.Y.z) " +
          s"TBLPROPERTIES ('sort.scope' = '$scope') AS SELECT * FROM source")
        dataFiles(folder("t")).foreach(assertZOrdered(_, Seq("s.x", "s.y.z")))
        sql("INSERT INTO t SELECT * FROM source WHERE id < 0")
        sql("INSERT INTO t SELECT 1L, named_struct('x', NULL, 'y', NULL) FROM range(100)")
        sql("ANALYZE TABLE t COMPUTE FILE STATISTICS")
        sql("INSERT INTO t SELECT id, named_struct('x', 100 + id, 'y', NULL) FROM range(50)")
        assert(sql("SELECT * FROM t WHERE s.x > 100").count() === 49)
        assert(sql("SELECT * FROM t WHERE s.x = 3").count() === 143)
        assert(layout("t", "s.x").select("rows").head().getLong(0) === 1150)
        sql("DROP TABLE t")
      }
      for (columns <- Seq(62, 63, 64, 65)) {
        val wide = spark.range(200).selectExpr((0 until columns).map(i => s"cast(hash(id, $i) as string) AS c$i"): _*)
        for (key <- Seq("ranks", "raw")) {
          wide.createOrReplaceTempView("source")
          sql(s"CREATE TABLE w USING parquet SORT BY ZORDER (c0, c1) TBLPROPERTIES ('sort.key' = '$key') " +
            "AS SELECT * FROM source")
          checkAnswer(spark.table("w"), wide.collect().toSeq)
          sql("DROP TABLE w")
        }
      }
    }
  }

  test("raw keys: files are in the order of zorder_key, which takes no arrays; a refused overwrite leaves the rows") {
    withTable("t", "u") {
      data().createOrReplaceTempView("source")
      for (scope <- Seq("local", "global")) {
        sql("CREATE TABLE t USING parquet SORT BY ZORDER (a, b) " +
          s"TBLPROPERTIES ('sort.key' = 'raw', 'sort.scope' = '$scope') AS SELECT * FROM source")
        dataFiles(folder("t")).foreach { file =>
          val keys = spark.read.parquet(file).selectExpr("hex(zorder_key(a, b))").collect().map(_.getString(0)).toSeq
          assert(keys === keys.sorted)
        }
        checkAnswer(spark.table("t"), data().collect().toSeq)
        sql("DROP TABLE t")
      }
      val create = "CREATE TABLE t (a INT, xs ARRAY<INT>) USING parquet SORT BY ZORDER (a, xs)"
      val error = intercept[ZOrderAnalysisException](sql(s"$create TBLPROPERTIES ('sort.key' = 'raw')"))
      assert(error.getCondition === "ZORDER_SORT_NO_RAW_KEY")
      sql(create)
      sql("INSERT INTO t SELECT a, array(q, a) FROM source")
      setProperties("'sort.key' = 'raw'")
      val refused = intercept[ZOrderAnalysisException](sql("INSERT OVERWRITE t SELECT a, array(q) FROM source"))
      assert(refused.getCondition === "ZORDER_SORT_NO_RAW_KEY")
      checkAnswer(spark.table("t"), data().selectExpr("a", "array(q, a)").collect().toSeq)
    }
  }

  test("0.0 and -0.0 have two folders, NULL and the empty string one, also where the query is sorted by them") {
    withTable("t", "u") {
      val rows = spark.range(2000).selectExpr(
        "cast(hash(id) % 100 as int) a",
        "cast(hash(id, 1) % 100 as int) b",
        "if(id % 2 = 0, 0.0D, -0.0D) AS p",
        "if(id % 2 = 0, '', NULL) AS s")
      rows.createOrReplaceTempView("source")
      for (key <- Seq("ZORDER (a, b)", "LEXICAL (a, b)"); query <- Seq("", "SORT BY p, a, b")) {
        sql(s"CREATE TABLE t USING parquet PARTITIONED BY (p) SORT BY $key AS SELECT a, b, p FROM source $query")
        assert(spark.table("t").groupBy("b").count().count() === rows.groupBy("b").count().count())
        assert(spark.table("t").count() === 2000)
        sql("DROP TABLE t")
      }
      sql("CREATE TABLE u (a INT, b INT, s STRING) USING parquet PARTITIONED BY (s) SORT BY (a, b)")
      sql("INSERT INTO u SELECT a, b, s FROM source SORT BY s, a, b")
      dataFiles(folder("u")).foreach(f => assertSorted(rowsOf(f, Seq("a", "b"))))
    }
  }

  private val ofCells = Seq(
    "hash(id) AS a",
    "if(id % 50 = 0, NULL, xxhash64(id, 1)) AS b",
    "concat('s', lpad(pmod(hash(id, 2), 5000), 4, '0')) AS s")

  test("pages of a file are cells: a lookup reads little more than their floor; other types follow the curve") {
    withTable("t", "u") {
      spark.sparkContext.hadoopConfiguration.set("parquet.page.row.count.limit", "100")
      try {
        val rows = spark.range(0, 6400, 1, 1).selectExpr(ofCells: _*)
        rows.createOrReplaceTempView("source")
        sql("CREATE TABLE t USING parquet SORT BY ZORDER (a, b) AS SELECT * FROM source")
        checkAnswer(spark.table("t"), rows.collect().toSeq)
        requireCells("t")
        sql("CREATE TABLE u USING parquet SORT BY ZORDER (a, s) AS SELECT * FROM source")
        assertZOrdered(dataFiles(folder("u")).head, Seq("a", "s"))
        checkAnswer(spark.table("u"), rows.collect().toSeq)
      } finally spark.sparkContext.hadoopConfiguration.unset("parquet.page.row.count.limit")
    }
  }

  test("pages are cells where an option of the table says how many rows they have") {
    withTable("t", "u") {
      val rows = spark.range(0, 6400, 1, 1).selectExpr(ofCells: _*)
      rows.createOrReplaceTempView("source")
      val option = "OPTIONS ('parquet.page.row.count.limit' = '100')"
      sql(s"CREATE TABLE t USING parquet $option SORT BY ZORDER (a, b) AS SELECT * FROM source")
      sql(s"CREATE TABLE u (a INT, b BIGINT, s STRING) USING parquet $option SORT BY ZORDER (a, b)")
      sql("INSERT INTO u SELECT * FROM source")
      for (table <- Seq("t", "u")) {
        requireCells(table)
        checkAnswer(spark.table(table), rows.collect().toSeq)
      }
    }
  }

  /** Of the pages of 100 rows of a table's one file a lookup reads little more than the least. */
  private def requireCells(table: String): Unit = {
    val pages = rowsOf(dataFiles(folder(table)).head, Seq("a", "b")).grouped(100).toSeq
    assert(pages.size === 64)
    val as = pages.map(_.map(_.getInt(0).toLong))
    val bs = pages.map(_.filterNot(_.isNullAt(1)).map(_.getLong(1))).filter(_.nonEmpty)
    val read = Seq(as, bs).map(values => shareRead(values.map(v => (v.min, v.max)), values.flatten))
    assert(read.sum / 2 <= 1.15 * 0.125, s"$table: ${read.mkString(", ")}")
  }

  private def shareRead(ranges: Seq[(Long, Long)], values: Seq[Long]): Double =
    values.map(v => ranges.count(r => r._1 <= v && v <= r._2)).sum.toDouble / values.size / ranges.size

  test("a global order of rows of files, of a join and of an aggregate") {
    withTable("f", "t") {
      data().write.format("parquet").saveAsTable("f")
      for (key <- Seq("ZORDER (a, b)", "LEXICAL (a, b)"); raw <- Seq("ranks", "raw")) {
        sql(
          s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet PARTITIONED BY (q) SORT BY $key " +
            s"TBLPROPERTIES ('sort.scope' = 'global', 'sort.key' = '$raw')")
        val queries = Seq(
          "SELECT * FROM f WHERE a < 900",
          "SELECT f.* FROM f JOIN (SELECT max(id) AS last FROM f) m ON f.id < m.last",
          "SELECT max(id), a, b, max(p), q FROM f GROUP BY a, b, q",
          "SELECT id + 1, a + 1, b, concat(p, (SELECT max(id) FROM f)), q FROM f"
        )
        for (query <- queries) {
          sql(s"INSERT OVERWRITE t $query")
          checkAnswer(spark.table("t"), sql(query).collect().toSeq)
        }
        sql("DROP TABLE t")
      }
    }
  }

  test("observed rows count once where the order is global; tables of other formats are written as they come") {
    withTable("t", "o") {
      sql("CREATE TABLE t (id BIGINT, a INT, b DOUBLE, p STRING, q INT) USING parquet SORT BY ZORDER (a, b) " +
        "TBLPROPERTIES ('sort.scope' = 'global')")
      val observation = Observation("rows")
      data().observe(observation, count(lit(1)).as("n")).write.insertInto("t")
      assert(observation.get("n") === 4000L)
      sql("CREATE TABLE o (id BIGINT) USING orc")
      val catalog = spark.sessionState.catalog
      val table = catalog.getTableMetadata(TableIdentifier("o"))
      catalog.alterTable(table.copy(properties = Map("sort.columns" -> "gone", "sort.order" -> "desc")))
      spark.catalog.refreshTable("o")
      sql("INSERT INTO o SELECT id FROM range(10)")
      assert(spark.table("o").count() === 10)
    }
  }

  test("global orders of partitions, of which some are not sampled, and of one column") {
    withTable("t", "u") {
      withSQLConf("spark.sql.zorder.sampleSize" -> "20", "spark.sql.zorder.targetFileSize" -> "1k") {
        val rows = spark.range(2000).selectExpr(
          "id",
          "cast(hash(id) % 100 as int) a",
          "cast(hash(id, 1) % 100 as int) b",
          "cast(id % 40 as int) p")
        rows.createOrReplaceTempView("source")
        sql("CREATE TABLE t USING parquet PARTITIONED BY (p) SORT BY ZORDER (a, b) TBLPROPERTIES ('sort.scope' = 'global') " +
          "AS SELECT * FROM source")
        checkAnswer(spark.table("t"), rows.collect().toSeq)
        sql("CREATE TABLE u USING parquet SORT BY (a) TBLPROPERTIES ('sort.scope' = 'global') AS SELECT * FROM source")
        checkAnswer(spark.table("u"), rows.collect().toSeq)
        dataFiles(folder("u")).foreach(f => assertSorted(rowsOf(f, Seq("a"))))
      }
      withSQLConf("spark.sql.zorder.targetFileSize" -> "1k") {
        sql("INSERT OVERWRITE u SELECT * FROM source")
        val ranges = dataFiles(folder("u")).map(rowsOf(_, Seq("a")).map(_.getInt(0))).map(v => (v.min, v.max)).sorted
        assert(ranges.size > 4 && ranges.zip(ranges.drop(1)).forall { case (x, y) => x._2 <= y._1 }, ranges)
      }
    }
  }

  test("a format by the name of its class or package") {
    for (format <- Seq(
        "PARQUET",
        "org.apache.spark.sql.parquet",
        "org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat")) withTable("t") {
      data().createOrReplaceTempView("source")
      sql(s"CREATE TABLE t USING $format SORT BY ZORDER (A, b) AS SELECT * FROM source WHERE id < 500")
      sql("INSERT INTO t SELECT * FROM source")
      check("t", data(500).union(data()))
      assert(sql("OPTIMIZE t ZORDER DRY RUN").count() === 1)
    }
  }
}
