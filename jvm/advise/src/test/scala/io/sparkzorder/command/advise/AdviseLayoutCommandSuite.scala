// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.{DailyTest, LongSuite, TestedSpark}
import io.sparkzorder.command.HumanReadable
import io.sparkzorder.config.TargetFileSize

import org.apache.spark.sql.{AnalysisException, QueryTest, Row}

/** `ADVISE LAYOUT`: workloads, options, warnings and errors. */
class AdviseLayoutCommandSuite extends QueryTest with AdviceSession with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "queries decide: their columns, alone or together",
    "Parquet: statistics of footers or of the index, strings in full",
    "what is no query, does not read the table, or names what is not there"
  )

  private def size(files: Int = 16): String = s"OPTIONS (${targetSize(files)})"

  private def share(row: Row): Double = row.getAs[Double]("read_share")

  private def checkFails(condition: String, state: String, statement: String): AnalysisException = {
    val e = intercept[AnalysisException](sql(statement).collect())
    assert(e.getCondition === condition && e.getSqlState === state, statement)
    e
  }

  test("partitions and columns of CHAR that are stored shorter, long strings and bytes") {
    withTable("u") {
      sql("CREATE TABLE u (id BIGINT, c CHAR(9), s STRING, b BINARY, p CHAR(5)) USING delta PARTITIONED BY (p)")
      withSQLConf("spark.sql.legacy.charVarcharAsString" -> "true") {
        sql("""
          |INSERT INTO u SELECT id, cast(id % 7 AS STRING), repeat(cast(id AS STRING), 500),
          |  cast(repeat(cast(id AS STRING), 500) AS BINARY), 'ab' FROM range(1000)""".stripMargin)
      }
      assert(advice("", table = "u").nonEmpty)
      assert(sql("DESCRIBE LAYOUT u ON (c)").head().getAs[String]("point_read_share") !== "0")
      val shares = sql("SELECT point_read_share FROM describe_layout('u', array('c'))").collect()
      assert(shares.forall(_.getDouble(0) === 1.0), shares.toSeq)
    }
  }

  test("queries decide: their columns, alone or together", DailyTest)(withEvents {
    val alone = advice(s"FOR (SELECT * FROM t WHERE a = 5), (SELECT id FROM t WHERE a BETWEEN 10 AND 20) ${size()}")
    assert(columns(alone.head) === Seq("a") && alone.length === 1)
    assert(share(alone.head) < 0.15 && alone.head.getAs[Double]("read_share_now") === 1.0)

    val both = advice(s"FOR (SELECT * FROM t WHERE a = 5), (SELECT * FROM t WHERE c = 'user-7' AND id > 5) ${size()}")
    assert(columns(both.head).toSet === Set("a", "c") || columns(both.head).toSet === Set("a", "c", "id"))
    assert(both.map(_.getAs[Int]("rank")) === (1 to both.length))
    assert(both.map(columns(_).size).toSet === Set(1, 2, 3))
    // It is the statement to run, and does what is said.
    val best = both.head
    assert(best.getAs[Long]("rewrite_bytes") === bytesOf("t") && best.getAs[Double]("rewrite_seconds") > 0)
    sql(best.getAs[String]("statement")).collect()
    assert(math.abs(filesOf("t").size - best.getAs[Long]("files")) <= 2)
    val read = Seq("a = 5", "c = 'user-7' AND id > 5").map { filter =>
      val row = sql(s"EXPLAIN SKIPPING SELECT * FROM t WHERE $filter").head()
      row.getAs[Long]("files_read").toDouble / row.getAs[Long]("files_total")
    }
    assert(math.abs(read.sum / 2 - share(best)) < 0.1)
    val again = advice(s"FOR (SELECT * FROM t WHERE a = 5), (SELECT * FROM t WHERE c = 'user-7' AND id > 5) ${size()}")
    assert(math.abs(again.head.getAs[Double]("read_share_now") - share(again.head)) < 0.08)
    assert(warnings(again.head).exists(_.contains("not worth its cost")))
  })

  test("without queries each column counts alike, and ON restricts them")(withEvents {
    val all = advice(size())
    assert(all.flatMap(columns).toSet.subsetOf(Set("id", "a", "b", "c", "day")) && all.length > 4)
    assert(all.map(columns(_).size).toSet === Set(1, 2, 3, 4))
    val some = advice(s"ON (B, a) ${size()}")
    assert(some.map(columns(_).toSet).toSet === Set(Set("a"), Set("b"), Set("a", "b")))
    assert(columns(some.head).toSet === Set("a", "b"))
    // Two columns, 16 files: a lookup of either reads four of them.
    assert(share(some.head) > 0.2 && share(some.head) < 0.35)
    assert(some.filter(columns(_).size == 1).map(share).forall(s => s > 0.45 && s < 0.6))
  })

  test("partitions prune by themselves, and are chosen by WHERE") {
    withTable("t") {
      createTable("t", events(6000), files = 2, partitionBy = Seq("day"))
      val all = advice(s"FOR (SELECT * FROM t WHERE day = '2024-01-02' AND a = 3) ${size(12)}").head
      assert(columns(all) === Seq("a") && share(all) < 0.2)
      assert(math.abs(all.getAs[Double]("read_share_now") - 1.0 / 3) < 0.05)
      val one = advice(
        s"FOR (SELECT * FROM t WHERE a = 3) WHERE day = '2024-01-02' ${size(12)}").head
      assert(one.getAs[Long]("rewrite_bytes") < bytesOf("t") / 2)
      assert(one.getAs[String]("statement").contains("WHERE (day = DATE '2024-01-02') ZORDER BY (a)"))
      assert(advice(size()).forall(!columns(_).contains("day")))
    }
  }

  test("the size and the curve are chosen, unless they are given")(withEvents {
    val free = advice("ON (a, b)").head
    // All of it fits in one file of the size that OPTIMIZE would take, so that there is nothing to run.
    assert(free.getAs[Long]("files") === 1 && free.getAs[String]("statement") === null)
    assert(free.getAs[Long]("target_file_size") === TargetFileSize.Auto.bytes(bytesOf("t"), 2, isPartitioned = false))
    val fits = s"fit in one file of ${HumanReadable.bytes(free.getAs[Long]("target_file_size"))},"
    assert(warnings(free).exists(_.contains(fits)))
    assert(sql("OPTIMIZE t ZORDER BY (a, b) DRY RUN").select("summary").head().getString(0).contains(fits))
    withSQLConf("spark.sql.files.openCostInBytes" -> "0", "spark.sql.zorder.curve" -> "hilbert") {
      assert(advice("ON (a, b)").head.getAs[String]("curve") === "hilbert")
      val fixed = advice("ON (a, b) OPTIONS (curve = 'zorder', target_file_size = '8k')")
      assert(fixed.forall(r => r.getAs[String]("curve") == "zorder" && r.getAs[Long]("target_file_size") == 8192))
      assert(fixed.head.getAs[String]("statement").endsWith("OPTIONS (curve = 'zorder', target_file_size = '8k')"))
      // Whoever runs the statement may have another session.
      withSQLConf("spark.sql.zorder.targetFileSize" -> "8k") {
        assert(advice("ON (a, b)").head.getAs[String]("statement").contains("target_file_size = '8k'"))
      }
    }
  })

  test("the same sample gives the same advice, also of a part of the rows")(withEvents {
    withSQLConf("spark.sql.zorder.sampleSize" -> "2000") {
      val (first, second) = (advice(s"ON (a, b, c) ${size()}"), advice(s"ON (a, b, c) ${size()}"))
      assert(first === second)
      val whole = withSQLConf("spark.sql.zorder.sampleSize" -> "100000")(advice(s"ON (a, b, c) ${size()}"))
      // The bounds of sampled files are moved outwards: on average neither too narrow nor too wide.
      for (row <- whole; sampled <- first.find(columns(_).toSet == columns(row).toSet))
        assert(math.abs(share(sampled) - share(row)) < 0.15 * share(row), columns(row))
    }
  })

  test("columns that gain little, too many of them and lookups that lose are warned of") {
    withTable("t", "p") {
      val data = events(4000).selectExpr(
        "id",
        "a",
        "b",
        "1 AS one",
        "concat('https://example.org/a/path/that/is/long/', md5(cast(id AS string))) AS url",
        "true AS flag")
      createTable("t", data, files = 4)
      val found = advice(s"ON (one, url, a, flag) ${size(4)}")
      val general = warnings(found.head).mkString("\n")
      assert(general.contains("one has the same value") && general.contains("flag has no statistics"))
      val url = found.find(columns(_) == Seq("url")).get
      assert(share(url) > 0.98 && warnings(url).exists(_.contains("begins alike")))
      val many = advice(s"ON (id, a, b) ${size(4)}").find(columns(_).size == 3).get
      assert(warnings(many).exists(_.contains("3 columns are many for")))
      optimize("t", "id", files = 12)
      val ordered = advice(s"ON (id, a) FOR (SELECT * FROM t WHERE a = 1) ${size(12)}")
      assert(columns(ordered.head) === Seq("a"))
      // Neither a layout without the column nor one with another beside it serves its lookups as the files do.
      for (row <- ordered if columns(row) != Seq("id"))
        assert(
          warnings(
            row).exists(_.matches("lookups by id read [0-9.]+ % of the bytes today, as files are in its order, " +
            "and would read [0-9.]+ %: z-order by fewer columns, or leave the files in that order")),
          row
        )
      // A partition for each key would be a file for each row.
      assert(!ordered.flatMap(warnings).exists(_.contains("partition the table")))
    }
  }

  test("the size of the last run is known, nothing worse than its files is advised, and small files are said once") {
    withTable("t") {
      createTable("t", events(4000).select("id", "a", "b"), files = 4)
      optimize("t", "a, b", files = 16)
      val rows = advice("ON (id, a, b)")
      val mean = bytesOf("t") / filesOf("t").size
      assert(rows.forall(row => math.abs(row.getAs[Long]("target_file_size") - mean) < 0.1 * mean))
      for (row <- rows)
        assert(share(row) <= row.getAs[Double]("read_share_now"))
      assert(rows.flatMap(warnings).count(_.contains(" small")) === 1)
      // By these columns it cannot be better than it is.
      assert(advice("FOR (SELECT * FROM t WHERE a = 5 AND b = 5)").forall(_.getAs[Long]("files") > 8))
    }
  }

  test("a row has a statement to run, or is not worth it, never both")(withEvents {
    def check(rest: String): Seq[Boolean] = advice(rest).map { row =>
      val (toRun, now) = (row.getAs[String]("statement") != null, row.getAs[Double]("read_share_now"))
      assert(toRun === share(row) < 0.9 * now, row)
      assert(!toRun || !warnings(row).exists(_.contains("not worth its cost")), row)
      toRun
    }
    assert(check(s"ON (a, b, c) ${size()}").forall(identity))
    optimize("t", "a, b", files = 16)
    val again = advice(s"ON (a, b) ${size()}").head
    assert(!check(s"ON (a, b) ${size()}").head && warnings(again).exists(_.contains("not worth its cost")))
    // The better ones come first.
    val runs = check(s"FOR (SELECT * FROM t WHERE c = 'user-7'), (SELECT * FROM t WHERE a = 5) ${size()}")
    assert(runs === runs.sortBy(!_))
  })

  test("Parquet: statistics of footers or of the index, strings in full") {
    withTempPath { dir =>
      val path = dir.getCanonicalPath
      val url = "concat('https://example.org/a/path/that/is/long/', md5(cast(id AS string))) AS url"
      events(4000).selectExpr("*", url).repartition(8).write.parquet(path)
      val bytes = dir.listFiles().filter(_.getName.endsWith(".parquet")).map(_.length).sum
      val rest =
        s"ON (a, url) FOR (SELECT * FROM parquet.`$path` WHERE url = 'https://example.org/a/path/that/is/long/8' " +
          s"AND a < 900) OPTIONS (target_file_size = '${bytes / 16}')"
      for (table <- Seq(s"parquet.`$path`", s"'$path'")) {
        val row = advice(rest, table).head
        assert(columns(row) === Seq("url") && share(row) < 0.1 && row.getAs[Double]("read_share_now") > 0.9, table)
        assert(row.getAs[String]("statement").startsWith(s"OPTIMIZE $table ZORDER BY (url)"), table)
      }
      sql(s"ANALYZE TABLE parquet.`$path` COMPUTE FILE STATISTICS")
      assert(share(advice(rest, s"'$path'").head) < 0.1)
    }
  }

  test("queries of partitions that are not there, or elsewhere, and queries that nothing satisfies") {
    withTable("p") {
      withTempDir { dir =>
        events(3000).repartition(4).write.partitionBy("day").format("parquet").saveAsTable("p")
        events(1000).drop("day").repartition(4).write.mode("overwrite").parquet(dir.toString)
        sql(s"ALTER TABLE p ADD PARTITION (day = DATE'2030-01-01') LOCATION '${dir.toURI}'")
        val none = "(SELECT * FROM p WHERE day = '1999-01-01' AND b = 3)"
        val elsewhere = "(SELECT * FROM p WHERE day = '2030-01-01' AND c = 'user-3')"
        // OPTIMIZE refuses what lies outside of the table's folder.
        val inside = "WHERE day < '2030-01-01'"
        val queries = s"$none, (SELECT id FROM p WHERE a = 5), $elsewhere, (SELECT * FROM p WHERE false)"
        val found = advice(s"FOR $queries $inside OPTIONS (target_file_size = '2k')", "p")
        assert(found.flatMap(columns).toSet === Set("a", "c"))
        val note = "2 of 4 queries read no file of the table in any layout (number 1, 4)"
        assert(warnings(found.head).exists(_.startsWith(note)), warnings(found.head))
        checkFails("ZORDER_QUERY_WITHOUT_TABLE", "22023", s"ADVISE LAYOUT p FOR $none $inside")
      }
    }
  }

  // Statement

  test("views, subqueries and joins in queries")(withEvents {
    withTempView("v") {
      sql("SELECT * FROM t WHERE c = 'user-1'").createTempView("v")
      val text =
        s"ADVISE LAYOUT t FOR (SELECT * FROM t WHERE a = 5), (WITH w AS (SELECT * FROM v) SELECT w.a FROM w " +
          s"JOIN t ON w.id = t.id WHERE t.b > 5) ${size()}"
      assert(sql(text).collect().flatMap(columns).toSet === Set("a", "b", "c"))
      // What is noted on scans of the keys of joins and of first rows is no filter.
      val plain = advice(s"FOR (SELECT * FROM t WHERE a = 5) ${size()}")
      val joined = advice(
        s"FOR (SELECT * FROM t JOIN (SELECT /*+ BROADCAST */ id AS k FROM range(9)) ON t.id = k WHERE a = 5 " +
          s"ORDER BY b LIMIT 3), (SELECT a FROM t WHERE a = 5 ORDER BY c LIMIT 3), (SELECT max(id) FROM t WHERE a = 5) ${size()}")
      assert(joined.map(columns) === plain.map(columns) && share(joined.head) === share(plain.head))
    }
  })

  test("parameters in queries")(withEvents {
    def byName = spark.sql(s"ADVISE LAYOUT t FOR (SELECT * FROM t WHERE a = :x) ${size()}", Map("x" -> 5))
    def inOrder = spark.sql(
      s"ADVISE LAYOUT t FOR (SELECT * FROM t WHERE a = ?), (SELECT 1 FROM t WHERE a < ?) ${size()}",
      Array(5, 6))
    if (TestedSpark.isAtLeast("4.1")) {
      assert(columns(byName.head()) === Seq("a") && columns(inOrder.head()) === Seq("a"))
    } else {
      assert(intercept[AnalysisException](byName).getCondition === "UNBOUND_SQL_PARAMETER")
      assert(intercept[AnalysisException](inOrder).getCondition === "UNBOUND_SQL_PARAMETER")
    }
  })

  test("EXPLAIN runs nothing, and the plan shows the queries")(withEvents {
    val plan = sql("EXPLAIN ADVISE LAYOUT t ON (a) FOR (SELECT * FROM t WHERE a = 5)").head().getString(0)
    assert(plan.contains("AdviseLayout default.t, [a], 1 queries"))
  })

  // Errors

  test("what is no query, does not read the table, or names what is not there")(withEvents {
    withTable("other") {
      sql("CREATE TABLE other (a INT) USING parquet")
      val insert = checkFails(
        "ZORDER_WORKLOAD_NOT_A_QUERY",
        "0A000",
        "ADVISE LAYOUT t FOR (SELECT * FROM t), (INSERT INTO t SELECT * FROM t)")
      assert(
        insert.getMessageParameters.get("number") === "2" && insert.getMessageParameters.get("firstWord") === "INSERT")
      val elsewhere = checkFails(
        "ZORDER_QUERY_WITHOUT_TABLE",
        "22023",
        "ADVISE LAYOUT t FOR (SELECT * FROM t WHERE a = 1), (SELECT * FROM other)")
      assert(elsewhere.getMessageParameters.get("number") === "2")
      checkFails("TABLE_OR_VIEW_NOT_FOUND", "42P01", "ADVISE LAYOUT t FOR (SELECT * FROM nowhere)")
      checkFails("UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703", "ADVISE LAYOUT t ON (nothing)")
      checkFails("TABLE_OR_VIEW_NOT_FOUND", "42P01", "ADVISE LAYOUT nowhere")
      checkFails("ZORDER_UNKNOWN_OPTION", "42616", "ADVISE LAYOUT t OPTIONS (mode = 'full')")
      checkFails("ZORDER_INVALID_OPTION", "22023", "ADVISE LAYOUT t OPTIONS (recording = '')")
      checkFails("ZORDER_INVALID_OPTION", "22023", "ADVISE LAYOUT t OPTIONS (target_file_size = '0')")
      checkFails("ZORDER_PREDICATE_ON_DATA_COLUMN", "42P10", "ADVISE LAYOUT t WHERE a = 1")
      checkFails("ZORDER_SYNTAX_ERROR.MISSPELLED", "42601", "ADVISE LAYOUT t FOR SELECT * FROM t")
      checkFails("ZORDER_SYNTAX_ERROR.UNEXPECTED", "42601", "ADVISE LAYOUT t FOR ()")
    }
  })

  test("nothing to choose from") {
    withTable("t", "p") {
      createTable("t", events(100).selectExpr("1 AS one", "true AS flag", "day", "day AS d"), partitionBy = Seq("day"))
      def reason(rest: String, table: String = "t") =
        checkFails(
          "ZORDER_NOTHING_TO_ADVISE",
          "22023",
          s"ADVISE LAYOUT $table $rest").getMessageParameters.get("reason")
      assert(reason("ON (one)") === "all rows have the same value of one")
      assert(reason("ON (flag)").contains("no column by whose statistics"))
      assert(reason("FOR (SELECT * FROM t WHERE flag)").contains("no filter of the workload"))
      assert(reason("FOR (SELECT * FROM t)").contains("no filter of the workload"))
      assert(reason("WHERE day = '2030-01-01'") === "no file of it matches the condition")
      sql("CREATE TABLE p (a INT) USING parquet")
      assert(reason("", "p") === "it has no files")
      checkFails("ZORDER_PARTITION_COLUMN", "42P10", "ADVISE LAYOUT t ON (day)")
    }
  }

  // Other formats

  test("a table of another catalog: by its files, with the statement of its format") {
    withTempDir { dir =>
      events(4000).repartition(8).write.parquet(s"$dir/t")
      // On Spark 4.1 OPTIMIZE takes Iceberg's tables, which this one is not.
      val providers = if (spark.version.startsWith("4.1.")) Seq("hudi") else Seq("iceberg", "hudi")
      for (provider <- providers) {
        // A session keeps a catalog that it has loaded.
        val catalog = s"elsewhere_$provider"
        val settings = Seq("" -> classOf[FilesCatalog].getName, ".folder" -> dir.toString, ".provider" -> provider)
        withSQLConf(settings.map { case (key, value) => s"spark.sql.catalog.$catalog$key" -> value }: _*) {
          val row =
            sql(s"ADVISE LAYOUT $catalog.db.t FOR (SELECT id FROM $catalog.db.t WHERE a = 5 AND c > 'user-4') " +
              "OPTIONS (target_file_size = '4000')").head()
          assert(columns(row).head === "a" && share(row) < 0.2 && row.getAs[Double]("read_share_now") > 0.8)
          val statement = row.getAs[String]("statement")
          if (provider == "iceberg")
            assert(statement.startsWith(s"CALL $catalog.system.rewrite_data_files(table => 'db.t', strategy => 'sort'"))
          else assert(statement.startsWith(s"-- by the means of hudi: z-order $catalog.db.t by (a"))
          assert(warnings(row).exists(_.contains("OPTIMIZE does not rewrite tables of this format")))
          val (condition, state) =
            if (provider == "iceberg") ("ZORDER_ICEBERG_ON_OTHER_SPARK", "56038")
            else ("ZORDER_UNSUPPORTED_FORMAT", "0A000")
          checkFails(condition, state, s"OPTIMIZE $catalog.db.t ZORDER BY (a)")
        }
      }
    }
  }

  test("tables that are not made of Parquet files") {
    withTable("t", "other") {
      events(100).write.format("orc").saveAsTable("t")
      val orc = intercept[org.apache.spark.sql.AnalysisException](sql("ADVISE LAYOUT t").collect())
      assert(orc.getCondition === "ZORDER_NOT_PARQUET" && orc.getMessageParameters.get("format") === "ORC")
    }
  }
}
