// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.{DailyTest, LongSuite, TestedSpark, ZOrderSharedSession}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.spark.sql.{AnalysisException, DataFrame, QueryTest, Row}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.types.{LongType, StringType}

/** `EXPLAIN SKIPPING` on plain Parquet, against the rows as they lie in the files and against the scans that ran. */
class ExplainSkippingSuite extends QueryTest with ZOrderSharedSession with SkippingChecks with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "the columns of the result",
    "a count reads no column",
    "timestamps as INT96, which have no statistics",
    "Bloom filters",
    "columns that some files lack",
    "a table by its path, also of partitions below it",
    "buckets",
    "dynamic partition pruning is left to the run, adaptive false",
    "the query does not run, nor do its subqueries",
    "what is no query is refused and not carried out",
    "names are looked up as in the query itself",
    "tables have the names that the query gives them",
    "a scan of another format says that it cannot tell; what is no scan has no row"
  )

  override protected def generatedCode: Boolean = false

  private def withPoints(body: => Unit): Unit = withTable("t") {
    small(points(4)).format("parquet").saveAsTable("t")
    body
  }

  test("the columns of the result") {
    withPoints {
      val schema = sql("EXPLAIN SKIPPING SELECT * FROM t").schema
      assert(schema.fieldNames === Array(
        "table",
        "files_total",
        "files_read",
        "row_groups_total",
        "row_groups_read",
        "pages_total",
        "pages_read",
        "bytes_total",
        "bytes_read",
        "rows_total",
        "note"
      ))
      assert(schema.map(_.dataType) === StringType +: Seq.fill(9)(LongType) :+ StringType)
      assert(explainOne("SELECT a FROM t").getString(0) === "t")
    }
  }

  test("row groups and pages are those whose range holds a value") {
    withPoints {
      for ((low, high) <-
          Seq((5, 5), (1, 99), (99, 100), (290, 310), (1150, 2500), (0, 4799), (4799, 9999), (5000, 6000))) {
        val row = requireAgreement(s"SELECT a FROM t WHERE a BETWEEN $low AND $high", leaves = 1)
        def hit(size: Long) = overlapping(spark.table("t"), "a", low, high, size)
        assert(files(row) === Seq(4, 4))
        assert(
          groups(row) === Seq(groupsOf(4), hit(GroupRows)) && pages(row) === Seq(48, hit(PageRows)),
          s"$low to $high")
        assert(bytes(row).head === bytesOf(spark.table("t"), "a"))
      }
    }
  }

  test("pages of every kind of predicate are those that the scan reads") {
    withPoints {
      Seq(
        "s = 'v-000123'" -> 1,
        "s LIKE 'v-0001%'" -> 1,
        "s >= 'v-004700'" -> 1,
        "n IS NULL" -> 1,
        "n IS NOT NULL" -> 1,
        "n > 100" -> 1,
        "NOT n < 900" -> 1,
        "ts >= TIMESTAMP'1970-03-01 00:00:00'" -> 1,
        "d = DATE'1991-02-03'" -> 1,
        "d > DATE'1991-02-03'" -> 1,
        "dec BETWEEN 1.50 AND 2.60" -> 1,
        "big = 77" -> 1,
        "b = 9" -> 1,
        "b IN (1, 2)" -> 1,
        "a IN (3, 777, 4000)" -> 1,
        "a <=> 9" -> 1,
        "a <=> NULL" -> 1,
        "a + 1 = 5" -> 1,
        "a % 2 = 0" -> 1,
        "a < 10 OR a > 4790" -> 1,
        "a < 300 AND s > 'v-000150'" -> 2,
        "a < 300 OR s > 'v-004150'" -> 2,
        "a < 300 AND n IS NULL" -> 2,
        "a < 300 AND upper(s) = 'X'" -> 2
      ).foreach { case (predicate, leaves) =>
        val column = predicate.stripPrefix("NOT ").takeWhile(_.isLetter)
        requireAgreement(s"SELECT $column FROM t WHERE $predicate", leaves)
      }
      assert(pages(explainOne("SELECT s FROM t WHERE s LIKE 'v-0001%'")) === Seq(48, 1))
      assert(pages(explainOne("SELECT n FROM t WHERE n IS NULL")) === Seq(48, 24))
      assert(pages(explainOne("SELECT d FROM t WHERE d = DATE'1990-01-11'")) === Seq(48, 1))
      assert(pages(explainOne("SELECT dec FROM t WHERE dec = 1.50")) === Seq(48, 1))
      // Row groups are skipped by their dictionaries, too: the values 0 to 6 are in all of them.
      assert(pages(explainOne("SELECT b FROM t WHERE b = 9")) === Seq(48, 0))
      assert(pages(explainOne("SELECT b FROM t WHERE b = 3")) === Seq(48, 48))
    }
  }

  test("pages and bytes are of the columns that the query reads, nested ones by leaf") {
    withPoints {
      val t = spark.table("t")
      assert(pages(requireAgreement("SELECT st.x FROM t", 1)) === Seq(48, 48))
      assert(pages(requireAgreement("SELECT st FROM t", 2)) === Seq(96, 96))
      assert(bytes(explainOne("SELECT st FROM t")) === Seq.fill(2)(bytesOf(t, "st.x", "st.y")))
      assert(bytes(explainOne("SELECT st.y FROM t")) === Seq.fill(2)(bytesOf(t, "st.y")))
      assert(pages(requireAgreement("SELECT st.y FROM t WHERE st.x = 150", 2)) === Seq(96, 2))
      assert(pages(explainOne("SELECT arr FROM t WHERE a < 100")) === Seq(96, 2))
      assert(bytes(explainOne("SELECT A, S FROM T")) === Seq.fill(2)(bytesOf(t, "a", "s")))
    }
  }

  test("bytes of pages in a part of the files, and of dictionaries with them") {
    withTempPath { dir =>
      val plain = smallPages + ("parquet.enable.dictionary" -> "false") + ("compression" -> "none")
      points(1).write.options(plain).parquet(dir.toString)
      val t = spark.read.parquet(dir.toString)
      val row = explainOne(s"SELECT a FROM parquet.`$dir` WHERE a BETWEEN 250 AND 449")
      // The third page of the first row group, two of the second.
      assert(bytes(row) === Seq(bytesOf(t, "a"), pageBytes(t, "a").flatten.slice(2, 5).sum))
    }
    withTempPath { dir =>
      small(points(1)).parquet(dir.toString)
      val t = spark.read.parquet(dir.toString)
      val sizes = pageBytes(t, "b")
      val chunk = footers(t).head.getBlocks.get(0).getColumns.get(1)
      val dictionary = chunk.getFirstDataPageOffset - chunk.getStartingPos
      assert(chunk.getPath.toDotString === "b" && dictionary > 0)
      def read(columns: String) = bytes(explainOne(s"SELECT $columns FROM parquet.`$dir` WHERE a = 5"))(1)
      assert(read("a, b") - read("a") === dictionary + sizes.head.head)
      assert(dictionary + sizes.head.sum === chunk.getTotalSize)
    }
  }

  test("a count reads no column") {
    withPoints {
      val row = explainOne("SELECT count(*) FROM t")
      assert(row === Row("t", 4L, 4L, groupsOf(4), groupsOf(4), 0L, 0L, 0L, 0L, 4800L, null))
      assert(ran("SELECT count(*) FROM t").map(_.metrics("numFiles").value) === Seq(4L))
    }
  }

  test("the session's settings of readers are respected") {
    withPoints {
      val query = "SELECT a FROM t WHERE a BETWEEN 250 AND 449"
      assert(pages(requireAgreement(query, 1)) === Seq(48, 3))
      withSQLConf("spark.sql.parquet.filterPushdown" -> "false") {
        val row = requireAgreement(query, 1)
        assert(pages(row) === Seq(48, 48) && groups(row) === Seq.fill(2)(groupsOf(4)))
      }
      withSQLConf("parquet.filter.columnindex.enabled" -> "false") {
        assert(pages(requireAgreement(query, 1)) === Seq(
          48,
          overlapping(spark.table("t"), "a", 250, 449, GroupRows) * GroupRows / PageRows))
      }
      withSQLConf("parquet.filter.stats.enabled" -> "false") {
        assert(pages(requireAgreement(query, 1)) === Seq(48, 3))
      }
      withSQLConf("parquet.filter.dictionary.enabled" -> "false", "parquet.filter.columnindex.enabled" -> "false") {
        assert(pages(requireAgreement("SELECT b FROM t WHERE b IN (-1, 5)", 1)) === Seq(48, 48))
      }
      withSQLConf("spark.sql.parquet.filterPushdown.date" -> "false") {
        assert(pages(requireAgreement("SELECT d FROM t WHERE d = DATE'1990-01-11'", 1)) === Seq(48, 48))
      }
      withSQLConf("spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources" -> "") {
        assert(pages(requireAgreement("SELECT st.x FROM t WHERE st.x = 150", 1)) === Seq(48, 48))
      }
      withSQLConf("spark.sql.parquet.enableVectorizedReader" -> "false") {
        // This reader drops rows, too; it is asked for them all by a predicate that is not pushed down.
        assert(pages(explainOne(query)) === Seq(48, 3))
        assert(pages(requireAgreement("SELECT st.x FROM t WHERE st.x + 1 = 150", 1)) === Seq(48, 48))
      }
      withSQLConf("spark.sql.caseSensitive" -> "true") {
        assert(pages(requireAgreement(query, 1)) === Seq(48, 3))
      }
    }
  }

  test("timestamps as INT96, which have no statistics") {
    withTable("t") {
      withSQLConf("spark.sql.parquet.outputTimestampType" -> "INT96")(
        small(points(2)).format("parquet").saveAsTable("t"))
      assert(
        pages(requireAgreement("SELECT ts FROM t WHERE ts > TIMESTAMP'1970-02-01 00:00:00'", 1)) === Seq(24, 24))
    }
  }

  test("Bloom filters") {
    withTable("t") {
      small(points(2).selectExpr("concat(a * 7919 % 2400, 'x') AS u"))
        .option("parquet.bloom.filter.enabled#u", "true")
        .option("parquet.enable.dictionary", "false")
        .format("parquet")
        .saveAsTable("t")
      val row = requireAgreement("SELECT u FROM t WHERE u = '1234x'", 1)
      assert(groups(row) === Seq(groupsOf(2), 1))
      withSQLConf("parquet.filter.bloom.enabled" -> "false") {
        assert(groups(requireAgreement("SELECT u FROM t WHERE u = '1234x'", 1))(1) > 1)
      }
    }
  }

  test("columns that some files lack") {
    withTable("t") {
      small(points(1).select("a")).format("parquet").saveAsTable("t")
      sql("ALTER TABLE t ADD COLUMNS (z BIGINT)")
      small(points(1).selectExpr(
        "a + 1200 AS a",
        "a AS z").coalesce(1)).mode("append").format("parquet").saveAsTable("t")
      val row = explainOne("SELECT a, z FROM t WHERE z = 150")
      // The file without the column is read whole: its reader is not given the filter.
      assert(files(row) === Seq(2, 2) && pages(row) === Seq(36, 14))
      assert(groups(row) === Seq(groupsOf(2), groupsOf(1) + 1))
      assert(ran("SELECT a, z FROM t WHERE z = 150").map(_.metrics("numOutputRows").value) === Seq(1300L))
    }
  }

  test("partitions of a catalog table: those that the query leaves out count in the totals") {
    withTable("t") {
      small(points(4).selectExpr("*", "cast(a div 1200 as int) AS part", "a % 2 AS odd")
        .repartition(8, org.apache.spark.sql.functions.col("a")).sortWithinPartitions("a"))
        .partitionBy("part")
        .format("parquet")
        .saveAsTable("t")
      for (managed <- Seq("true", "false"))
        withSQLConf("spark.sql.hive.manageFilesourcePartitions" -> managed) {
          def check(where: String, read: Int): Unit = {
            val query = s"SELECT a FROM t WHERE $where"
            val row = explainOne(query)
            assert(files(row) === Seq(32, read) && row.getAs[Long]("rows_total") === 4800L, where)
            assert(ran(query).map(_.metrics("numFiles").value) === Seq(read.toLong), where)
            if (!where.contains("odd")) assert(bytes(row).head === bytesOf(spark.table("t"), "a"), where)
          }
          check("part = 1", 8)
          check("part = 1 AND a > 10", 8)
          check("part IN (0, 3) OR part IS NULL", 16)
          check("part > 7", 0)
          check("part = 1 OR odd = 1", 32)
          check("true", 32)
        }
    }
  }

  test("a table by its path, also of partitions below it") {
    withTempPath { dir =>
      small(points(2).selectExpr("*", "a % 3 AS p")).partitionBy("p").parquet(dir.toString)
      val row = explainOne(s"SELECT a FROM parquet.`$dir` WHERE p = 1 AND a >= 0")
      assert(row.getString(0) === s"parquet.`${dir.getCanonicalPath}`" && files(row) === Seq(6, 2))
      assert(files(explainOne(s"SELECT a FROM parquet.`$dir/p=1`")) === Seq(2, 2))
    }
  }

  test("buckets that a filter rules out are not read, unless bucketing is off") {
    withTable("t") {
      points(2).write.bucketBy(8, "a").format("parquet").saveAsTable("t")
      val row = explainOne("SELECT a FROM t WHERE a = 5")
      val all = spark.table("t").inputFiles.length
      assert(files(row) === Seq(all, all / 8))
      withSQLConf("spark.sql.sources.bucketing.enabled" -> "false") {
        assert(files(explainOne("SELECT a FROM t WHERE a = 5")) === Seq(all, all))
      }
    }
  }

  for (adaptive <- Seq("true", "false")) test(s"one row for each scan, adaptive execution $adaptive") {
    withSQLConf("spark.sql.adaptive.enabled" -> adaptive) {
      withTable("t", "u") {
        withTempView("v") {
          withPoints {
            small(points(1)).format("parquet").saveAsTable("u")
            def tables(query: String) = explain(query).map(r => r.getString(0).split('.').last -> pages(r)(1)).toSet
            def size(query: String) = explain(query).size
            assert(tables("SELECT t.a FROM t JOIN u USING (a) WHERE t.a < 100") === Set("t" -> 1L, "u" -> 1L))
            assert(tables("SELECT a FROM t WHERE a < 100 UNION ALL SELECT a FROM u") === Set("t" -> 1L, "u" -> 12L))
            assert(tables("SELECT x.a FROM t x JOIN t y ON x.a = y.a + 1 WHERE x.a < 100 AND y.s = 'v-000250'") ===
              Set("t" -> 1L, "t" -> 2L))
            sql("CREATE TEMP VIEW v AS SELECT a AS z FROM t WHERE a BETWEEN 100 AND 299")
            assert(tables("SELECT z FROM v WHERE z < 200") === Set("t" -> 1L))
            assert(tables("WITH c AS (SELECT a FROM t) SELECT * FROM c WHERE a < 10") === Set("t" -> 1L))
            // The filter waits for the subquery: nothing is foreseen of it.
            assert(tables("SELECT a FROM t WHERE a = (SELECT max(a) FROM u)") === Set("t" -> 48L, "u" -> 12L))
            assert(size("SELECT a FROM t WHERE a = (SELECT max(a) FROM u) OR b = (SELECT max(a) FROM u)") === 2)
            assert(tables("SELECT a FROM t WHERE a < 10 AND a IN (SELECT a FROM u)") === Set("t" -> 1L, "u" -> 12L))
            assert(tables("SELECT a, (SELECT count(s) FROM u) FROM t WHERE a < 10") === Set("t" -> 1L, "u" -> 12L))
            assert(size("SELECT a FROM t EXCEPT SELECT a FROM u ORDER BY a LIMIT 3") === 2)
          }
        }
      }
    }
  }

  for (adaptive <- Seq("true", "false")) test(s"dynamic partition pruning is left to the run, adaptive $adaptive") {
    withSQLConf(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sql.optimizer.dynamicPartitionPruning.enforceBroadcastReuse" -> "true") {
      withTable("f", "dim") {
        small(points(2).selectExpr("a", "a % 4 AS p")).partitionBy("p").format("parquet").saveAsTable("f")
        spark.range(4).selectExpr("id AS p", "id * 10 AS w").coalesce(1).write.format("parquet").saveAsTable("dim")
        val query = "SELECT f.a FROM f JOIN dim ON f.p = dim.p WHERE dim.w = 20"
        val rows = explain(query).map(r => r.getString(0).split('.').last -> files(r)).sortBy(_._1)
        assert(rows === Seq("dim" -> Seq(1L, 1L), "f" -> Seq(8L, 8L)))
        val scans = ran(query)
        assert(scans.exists(_.metrics.get("staticFilesNum").exists(_.value == 8)), "there is no pruning to leave out")
      }
    }
  }

  test("tables have the names that the query gives them") {
    withPoints {
      def names(query: String) = explain(query).map(_.getString(0)).toSet
      assert(names("SELECT a FROM DEFAULT.t x") === Set("DEFAULT.t"))
      assert(names("SELECT count(*) FROM `T`") === Set("T"))
      assert(names("SELECT a FROM spark_catalog.default.t WHERE a IN (SELECT b FROM T WHERE b < 3)") ===
        Set("spark_catalog.default.t", "T"))
      assert(names("WITH t2 AS (SELECT a FROM default.t) SELECT a FROM t2 WHERE a = 1") === Set("default.t"))
      withTable("u") {
        small(points(1)).format("parquet").saveAsTable("u")
        assert(names("SELECT l.a, (SELECT max(a) FROM default.u) FROM t l") === Set("t", "default.u"))
        // Of one table that a query reads by two names, the first may stand for both.
        assert(names("SELECT l.a, (SELECT max(a) FROM default.u) FROM t l JOIN u USING (a)").map(_.last) === Set(
          't',
          'u'))
      }
      withTempView("v") {
        sql("CREATE TEMP VIEW v AS SELECT a FROM t")
        assert(names("SELECT a FROM v") === Set("spark_catalog.default.t"))
      }
      assert(names("SELECT a FROM IDENTIFIER('t')") === Set("t"))
      assert(names("SELECT a FROM IDENTIFIER('default' || '.T')") === Set("default.T"))
    }
  }

  test("a scan of another format says that it cannot tell; what is no scan has no row", DailyTest) {
    withPoints {
      withTempPath { dir =>
        points(1).select("a").write.csv(dir.toString)
        def untold(row: Row) = (1 to 9).forall(row.isNullAt) && row.getString(10).startsWith("cannot tell how much")
        val csv = explainOne(s"SELECT * FROM csv.`$dir`")
        assert(csv.getString(0) === s"csv.`$dir`" && untold(csv) && csv.getString(10).contains("of csv, not"))
        withSQLConf("spark.sql.sources.useV1SourceList" -> "") {
          val row = explainOne(s"SELECT * FROM csv.`$dir`")
          assert(untold(row) && row.getString(10).contains("csv"), row)
          // Other readers may read Parquet files, too.
          withTempView("v") {
            spark.read.parquet(spark.table("t").inputFiles.toIndexedSeq: _*).createTempView("v")
            val other = explainOne("SELECT a FROM v")
            assert(untold(other) && other.getString(10).contains("by the reader of parquet, which does not"), other)
          }
        }
        val both = explain(s"SELECT t.a FROM t JOIN csv.`$dir` c ON t.a = c._c0").sortBy(_.getString(0))
        assert(both.size === 2 && untold(both.head) && both(1).getString(0) === "t")
        assert(both(1).getString(10).startsWith("a run may read fewer files: those with "), both(1))
      }
      withTable("o") {
        points(1).select("a").write.format("orc").saveAsTable("o")
        val row = explainOne("SELECT a FROM default.o")
        assert(row.getString(0) === "default.o" && row.getString(10).contains("orc"))
      }
      assert(explain("SELECT 1").isEmpty && explain("SELECT * FROM range(10)").isEmpty)
      assert(explain("SELECT a FROM t WHERE false").isEmpty && explain("VALUES (1)").isEmpty)
      sql("CACHE TABLE t")
      try assert(explain("SELECT a FROM t").isEmpty)
      finally sql("UNCACHE TABLE t")
    }
  }

  test("the query does not run, nor do its subqueries") {
    withPoints {
      assert(explain("SELECT raise_error(s) FROM t WHERE a < 100").size === 1)
      assert(explain("SELECT a FROM t WHERE a = (SELECT raise_error('x') FROM t WHERE a = 0)").size === 2)
    }
  }

  private def pagesRead(data: DataFrame): Long = pages(data.head())(1)

  test("parameters are bound before files are looked at, where Spark binds them") {
    withPoints {
      def byName = spark.sql("EXPLAIN SKIPPING SELECT a FROM t WHERE a = :x", Map("x" -> 5))
      def inOrder(a: String) = spark.sql(s"EXPLAIN SKIPPING SELECT a FROM t WHERE $a BETWEEN ? AND ?", Array(5, 150))
      def inText = sql("EXECUTE IMMEDIATE 'EXPLAIN SKIPPING SELECT a FROM t WHERE a = ?' USING 5")
      if (TestedSpark.isAtLeast("4.1")) {
        assert(pagesRead(byName) === 1 && pagesRead(inText) === 1)
        assert(pagesRead(inOrder("a::int")) === 48 && pagesRead(inOrder("a")) === 2)
      } else {
        assert(intercept[AnalysisException](byName).getCondition === "UNBOUND_SQL_PARAMETER")
        assert(intercept[AnalysisException](inOrder("a")).getCondition === "UNBOUND_SQL_PARAMETER")
        assert(intercept[AnalysisException](inText).getCondition === "UNBOUND_SQL_PARAMETER")
      }
    }
  }

  test("variables and EXPLAIN of it") {
    withPoints {
      withSQLConf("my.x" -> "5") {
        assert(pagesRead(sql("EXPLAIN SKIPPING SELECT a FROM t WHERE a = $" + "{my.x}")) === 1)
      }
      assert(sql("EXPLAIN EXPLAIN SKIPPING SELECT a FROM t").head().getString(0).contains("ExplainSkipping"))
    }
  }

  // Errors

  test("what is no query is refused and not carried out") {
    withPoints {
      for (text <-
          Seq("INSERT INTO t SELECT * FROM t", "DROP TABLE t", "FROM t INSERT INTO t SELECT *", "CACHE TABLE t")) {
        val e = intercept[AnalysisException](sql(s"EXPLAIN SKIPPING $text"))
        checkError(
          e,
          "ZORDER_NOT_A_QUERY",
          Some("0A000"),
          Map("statement" -> "EXPLAIN SKIPPING", "firstWord" -> text.takeWhile(_ != ' ')))
      }
      assert(spark.table("t").count() === 4800L && !spark.catalog.isCached("t"))
    }
  }

  test("a query that fails when it is planned is named so, as Iceberg's changes of a table with deletes") {
    withPoints {
      val failing = new SparkStrategy {
        override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
          case query if query.exists(_.isInstanceOf[Filter]) =>
            throw new UnsupportedOperationException("Delete files are not supported.\nIn changes.")
          case _ => Nil
        }
      }
      spark.experimental.extraStrategies = Seq(failing)
      try {
        val e = intercept[ZOrderRuntimeException](explain("SELECT a FROM t WHERE a + b > 7"))
        val thrown = classOf[UnsupportedOperationException].getName
        checkError(
          e,
          "ZORDER_QUERY_NOT_PLANNED",
          Some("0A000"),
          Map("statement" -> "EXPLAIN SKIPPING", "reason" -> s"$thrown: Delete files are not supported."))
      } finally spark.experimental.extraStrategies = Nil
    }
  }

  test("names are looked up as in the query itself") {
    withPoints {
      for (query <- Seq("SELECT a FROM nowhere", "SELECT nothing FROM t", "SELECT a FROM t GROUP BY b")) {
        val ours = intercept[AnalysisException](sql(s"EXPLAIN SKIPPING $query"))
        val sparks = intercept[AnalysisException](sql(query))
        assert(ours.getCondition === sparks.getCondition && ours.getMessageParameters === sparks.getMessageParameters)
      }
    }
  }

  test("a file that is missing or no Parquet, and a scan that passes over it") {
    withTempPath { dir =>
      small(points(3)).parquet(dir.toString)
      withTempView("v") {
        spark.read.parquet(dir.toString).createTempView("v")
        val first = dir.listFiles().filter(_.getName.endsWith(".parquet")).minBy(_.getName)
        java.nio.file.Files.write(first.toPath, "no Parquet at all, but some bytes".getBytes)
        val e = intercept[io.sparkzorder.errors.ZOrderRuntimeException](explain("SELECT a FROM v"))
        assert(e.getCondition === "ZORDER_UNREADABLE_FILE" && e.getSqlState === "KD001")
        assert(e.getMessageParameters.get("file").endsWith(first.getName))
        withSQLConf("spark.sql.files.ignoreCorruptFiles" -> "true") {
          assert(pages(requireAgreement("SELECT a FROM v", 1)) === Seq(24, 24))
        }
        first.delete()
        val missing = intercept[io.sparkzorder.errors.ZOrderRuntimeException](explain("SELECT a FROM v"))
        assert(missing.getCondition === "ZORDER_UNREADABLE_FILE")
        withSQLConf("spark.sql.files.ignoreMissingFiles" -> "true") {
          val row = requireAgreement("SELECT a FROM v", 1)
          assert(files(row) === Seq(3, 3) && pages(row) === Seq(24, 24))
        }
      }
    }
  }
}
