// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.io.File
import java.nio.file.Files

import io.sparkzorder.{DailyTest, JobLog, LongSuite}
import io.sparkzorder.format.parquet.ParquetTables

import org.apache.spark.sql.Row

/** OPTIMIZE without ZORDER BY on Parquet tables: rows stay, small files become larger ones, and nothing else changes. */
class CompactionSuite extends ParquetTables with JobLog with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "a folder of files becomes one, with the rows of each file after those of the one before"
  )

  private def metric(row: Row, name: String): Long = row.getStruct(1).getAs[Long](name)

  private def removedAndAdded(row: Row): (Long, Long) = (metric(row, "numFilesRemoved"), metric(row, "numFilesAdded"))

  /** By what tells a file from one that was written anew. */
  private def identities(path: String): Set[(String, AnyRef)] =
    dataFiles(path).map(f => f.getPath -> Files.getAttribute(f.toPath, "unix:ino")).toSet

  private def ids(file: File): Seq[Long] =
    spark.read.parquet(file.getPath).select("id").collect().map(_.getLong(0)).toSeq

  test("a folder of files becomes one, with the rows of each file after those of the one before", DailyTest) {
    inFolder { path =>
      events(4000).repartition(7).write.parquet(path)
      val old = dataFiles(path).sortBy(_.getName)
      val expected = old.flatMap(ids)
      keepingRows(path) {
        val row = optimize(path, "")
        assert(row.schema.fieldNames.toSeq == Seq("path", "metrics", "layout", "summary"))
        assert(row.getString(0).endsWith(path) && row.getSeq[Row](2).isEmpty)
        assert(row.getString(3).startsWith("7 -> 1 file; "), row)
        assert(removedAndAdded(row) == ((7, 1)))
        assert(metric(row, "numBins") == 1 && metric(row, "partitionsOptimized") == 1)
        assert(row.getStruct(1).getAs[Row]("zOrderStats") == null)
      }
      val Seq(file) = dataFiles(path)
      assert(ids(file) == expected)
      requireOneClosedRewrite(path)
      val before = identities(path)
      val again = optimize(path, "")
      assert(removedAndAdded(again) == ((0, 0)) && again.getSeq[Row](2).isEmpty)
      assert(again.getString(3).startsWith("Nothing to do: no two files fit together in one of "), again)
      assert(identities(path) == before)
    }
  }

  test("bins of no more than the target size; larger files stay where they are") {
    inFolder { path =>
      events(1000).repartition(10).write.parquet(path)
      events(30000, first = 1000).repartition(1).write.mode("append").parquet(path)
      val files = dataFiles(path).sortBy(_.length)
      val (small, large) = (files.init, files.last)
      val target = small.map(_.length).sum / 3
      assert(large.length > target)
      keepingRows(path) {
        val row = optimize(path, s"OPTIONS (target_file_size = '$target')")
        assert(metric(row, "numFilesRemoved") > 6 && metric(row, "numFilesAdded") == metric(row, "numBins"))
        assert(metric(row, "numBins") > 2 && metric(row, "totalConsideredFiles") == 11)
      }
      assert(large.exists && dataFiles(path).size < 6)
    }
  }

  test("partition folders, with values that must be escaped, and NULL; WHERE chooses partitions") {
    inFolder { path =>
      val rows = events(3000).selectExpr(
        "*",
        "CASE p WHEN 0 THEN 'a b/c=d%20' WHEN 1 THEN 'ä#?' WHEN 2 THEN NULL ELSE '2024-01-01' END AS q")
      rows.repartition(3).write.partitionBy("q", "p").parquet(path)
      val folders = dataFiles(path).groupBy(_.getParentFile)
      val expected = folders.view.mapValues(_.sortBy(_.getName).flatMap(ids)).toMap
      assert(folders.size == 4 && folders.values.forall(_.size == 3))
      keepingRows(path) {
        val some = optimize(path, "WHERE q IS NULL OR p = 1")
        assert(removedAndAdded(some) == ((6, 2)) && metric(some, "partitionsOptimized") == 2)
      }
      val after = dataFiles(path).groupBy(_.getParentFile).view.mapValues(_.size)
      assert(after.toSeq.sortBy(_._1.getPath).map(_._2).sorted == Seq(1, 1, 3, 3))
      folders.keys.filter(f => after(f) == 3).foreach(f => assert(dataFiles(f.getPath).toSet == folders(f).toSet))
      keepingRows(path)(assert(removedAndAdded(optimize(path, "")) == ((6, 2))))
      assert(dataFiles(path).groupBy(_.getParentFile).values.map(_.size).toSeq == Seq(1, 1, 1, 1))
      assert(dataFiles(path).map(f => f.getParentFile -> ids(f)).toMap == expected)
      assert(optimize(path, "WHERE p = 77").getString(3) == "Nothing to do: no file matches (p = 77).")
    }
  }

  test("catalog tables, partitioned and not, in any case of names") {
    for (by <- Seq("", "PARTITIONED BY (p)")) withTable("t") {
      spark.sql(s"CREATE TABLE t (id BIGINT, a INT, B DOUBLE, c STRING, p INT) USING parquet $by")
      events(2000).repartition(4).write.insertInto("t")
      val before = spark.table("t").collect().toSeq
      assert(metric(spark.sql("OPTIMIZE T").head(), "numFilesAdded") == (if (by.isEmpty) 1 else 4))
      checkAnswer(spark.table("t"), before)
      checkAnswer(
        spark.sql("SELECT count(*) FROM t WHERE a < 10"),
        spark.range(1).selectExpr(s"${before.count(_.getInt(1) < 10)}L"))
      assert(removedAndAdded(spark.sql("OPTIMIZE TABLE IDENTIFIER('t')").head()) == ((0, 0)))
      if (by.nonEmpty) {
        events(100).repartition(4).write.insertInto("t")
        val rows = spark.table("t").collect().toSeq
        val part = spark.sql("OPTIMIZE t WHERE p = :p", Map("p" -> 2)).head()
        assert(metric(part, "partitionsOptimized") == 1)
        checkAnswer(spark.table("t"), rows)
      }
    }
  }

  test("a dry run changes nothing, and says what a run would do; EXPLAIN starts no job on a table") {
    inFolder { path =>
      events(2000).repartition(4).write.partitionBy("p").parquet(path)
      val before = identities(path)
      val row = optimize(path, "WHERE p < 2 DRY RUN")
      assert(removedAndAdded(row) == ((
        8,
        2)) && row.getString(3).startsWith("dry run, nothing was changed: 8 -> 2 files"))
      assert(identities(path) == before && !new File(path, "_zorder").exists())
      withTable("t") {
        spark.sql(
          s"CREATE TABLE t (id BIGINT, a INT, b DOUBLE, c STRING, p INT) USING parquet PARTITIONED BY (p) LOCATION '$path'")
        var plan = ""
        val jobs = jobsOf {
          plan = spark.sql("EXPLAIN OPTIMIZE t WHERE p < 2 OPTIONS (target_file_size = '1m')").head().getString(0)
        }
        assert(
          jobs.isEmpty && plan.contains(
            "Optimize spark_catalog.default.t, (spark_catalog.default.t.p < 2), files of 1048576 bytes"),
          plan)
      }
    }
  }

  test("clustered files stay clustered; new ones are put together, and count as new") {
    inFolder { path =>
      events(4000).repartition(4).write.parquet(path)
      optimize(path)
      val clustered = identities(path)
      assert(clustered.size > 3)
      val idle = optimize(path, "OPTIONS (target_file_size = '10m')")
      assert(removedAndAdded(idle) == ((0, 0)))
      assert(idle.getString(
        3).endsWith(s"; ${clustered.size} files that OPTIMIZE ... ZORDER BY has clustered stay as they are."))
      events(500, first = 4000).repartition(5).write.mode("append").parquet(path)
      keepingRows(path)(assert(removedAndAdded(optimize(path, "OPTIONS (target_file_size = '10m')")) == ((5, 1))))
      assert(clustered.subsetOf(identities(path)))
      val incremental = "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', mode = 'incremental')"
      keepingRows(path)(assert(metric(optimize(path, incremental), "numFilesRemoved") > 0))
      assert(removedAndAdded(optimize(path, incremental)) == ((0, 0)))
    }
  }

  test("files of different schemas get the columns of all, and values of wider types") {
    inFolder { path =>
      spark.sql("SELECT id, CAST(id AS INT) AS n, named_struct('x', id) AS s FROM range(0, 100)").coalesce(
        1).write.parquet(path)
      spark.sql("SELECT named_struct('x', id, 'y', array(id, NULL)) AS s, id, 'é' AS more, CAST(id AS INT) AS n FROM range(100, 200)")
        .coalesce(1).write.mode("append").parquet(path)
      val before = spark.read.option("mergeSchema", "true").parquet(path).select("id", "n", "s", "more").collect().toSeq
      assert(removedAndAdded(optimize(path, "")) == ((2, 1)))
      val Seq(file) = dataFiles(path)
      checkAnswer(spark.read.parquet(file.getPath).select("id", "n", "s", "more"), before)
    }
  }

  test("values of every kind of column, by generated code and without") {
    for (codegen <- Seq("true", "false"); vectorized <- Seq("true", "false"); encoder <- Seq("true", "false"))
      withSQLConf(
        "spark.sql.codegen.wholeStage" -> codegen,
        "spark.sql.parquet.enableVectorizedReader" -> vectorized,
        "spark.sql.zorder.encoder.enabled" -> encoder)(inFolder { path =>
        spark.sql(
          """SELECT id, IF(id % 3 = 0, NULL, id % 7 = 0) AS flag, CAST(id AS DECIMAL(25, 3)) AS d, CAST(id AS STRING) AS s,
            |  IF(id % 5 = 0, double('NaN'), -0.0D) AS f, timestamp_seconds(id * 1000000) AS t, DATE'1500-01-01' + CAST(id AS INT) AS day,
            |  map('k', array(id, NULL)) AS m, CAST(CAST(id AS STRING) AS BINARY) AS bin, id % 3 AS p FROM range(1000)""".stripMargin)
          .repartition(5).write.partitionBy("p").parquet(path)
        val before = spark.read.parquet(path).selectExpr("* EXCEPT (m)", "to_json(m) AS m").collect().toSeq
        assert(removedAndAdded(optimize(path, "")) == ((15, 3)))
        checkAnswer(spark.read.parquet(path).selectExpr("* EXCEPT (m)", "to_json(m) AS m"), before)
      })
  }

  test("hundreds of files, in batches of partitions") {
    inFolder { path =>
      events(3000).repartition(60).write.partitionBy("p").parquet(path)
      keepingRows(path) {
        val row = optimize(path, "OPTIONS (batch_size = '1', compression = 'gzip')")
        assert(removedAndAdded(row) == ((240, 4)) && metric(row, "numBatches") == 4)
      }
      assert(dataFiles(path).forall(_.getName.endsWith(".gz.parquet")))
    }
  }

  test("replaced files can be kept, and come back") {
    inFolder { path =>
      events(1000).repartition(4).write.parquet(path)
      val before = dataFiles(path).map(_.length).sorted
      keepingRows(path) {
        assert(optimize(path, "OPTIONS (keep_old = '1 day')").getString(3).contains("The replaced files are kept"))
      }
      keepingRows(path)(spark.sql(s"RESTORE TABLE parquet.`$path` TO BEFORE REWRITE 1").collect(): Unit)
      assert(dataFiles(path).map(_.length).sorted == before)
    }
  }

  test("a file that is empty, and a table without a row") {
    inFolder { path =>
      events(10).where("id < 0").repartition(1).write.parquet(path)
      events(10).where("id < 0").repartition(1).write.mode("append").parquet(path)
      keepingRows(path)(optimize(path, ""): Unit)
      events(10).repartition(1).write.mode("append").parquet(path)
      events(10).where("id < 0").repartition(1).write.mode("append").parquet(path)
      keepingRows(path)(assert(metric(optimize(path, ""), "numFilesRemoved") > 1))
      assert(spark.read.parquet(path).count() == 10)
    }
  }

  test("files without rows stay where no file would be made of them: nothing else may tell the columns") {
    for (statement <- Seq("", "ZORDER BY (a) OPTIONS (force = true)")) inFolder { path =>
      val none = events(10).where("id < 0")
      for (p <- Seq("0", "1"); _ <- 1 to 2)
        none.drop("p").selectExpr("*", "1 AS extra").coalesce(1).write.mode("append").parquet(s"$path/p=$p")
      val empty = identities(path)
      keepingRows(path)(assert(metric(optimize(path, statement), "numFilesRemoved") == 0))
      assert(identities(path) == empty)
      for (_ <- 1 to 2) events(10).coalesce(1).write.mode("append").partitionBy("p").parquet(path)
      keepingRows(path)(optimize(path, statement): Unit)
      assert(spark.read.option("mergeSchema", "true").parquet(path).columns.contains("extra"))
    }
  }

  test("the folder of a bucketed table, which has no name there, is refused") {
    withTable("buckets") {
      events(100).write.bucketBy(2, "id").sortBy("id").saveAsTable("buckets")
      val path = spark.sql("DESCRIBE FORMATTED buckets").where("col_name = 'Location'").head().getString(1)
      for (statement <- Seq("", "ZORDER BY (a)", "DRY RUN"))
        refused(s"OPTIMIZE parquet.`$path` $statement", "ZORDER_BUCKETED_TABLE", "0A000", "statement" -> "OPTIMIZE")
      assert(spark.table("buckets").join(events(100), "id").count() == 100)
    }
  }

  test("what cannot be meant is refused, and nothing is changed") {
    inFolder { path =>
      events(200).repartition(2).write.partitionBy("p").parquet(path)
      val before = identities(path)
      val table = s"parquet.`$path`"
      for (option <- Seq("curve = 'hilbert'", "mode = 'incremental'", "where_files = 'overlapping'"))
        refused(
          s"OPTIMIZE $table OPTIONS ($option)",
          "ZORDER_UNKNOWN_OPTION",
          "42616",
          "statement" -> "OPTIMIZE",
          "allowed" -> "target_file_size")
      refused(s"OPTIMIZE $table OPTIONS (target_file_size = 'x')", "ZORDER_INVALID_OPTION", "22023")
      refused(s"OPTIMIZE $table WHERE a = 1", "ZORDER_PREDICATE_ON_DATA_COLUMN", "42P10", "statement" -> "OPTIMIZE")
      refused(s"OPTIMIZE $table WHERE q = 1", "UNRESOLVED_COLUMN.WITH_SUGGESTION", "42703")
      // To Spark a name of the predicate: not dry, the run would be a real one.
      refused(s"OPTIMIZE $table WHERE p = 1 DRYRUN", "ZORDER_SYNTAX_ERROR.MISSPELLED", "42601")
      refused(s"OPTIMIZE $table WHERE p = 1 fast", "ZORDER_SYNTAX_ERROR.UNEXPECTED", "42601")
      refused(s"OPTIMIZE $table WHERE p = = 1", "PARSE_SYNTAX_ERROR", "42601")
      refused(s"OPTIMIZE parquet.`$path/none`", "ZORDER_PATH_NOT_FOUND", "42K03")
      assert(identities(path) == before && !new File(path, "_zorder").exists)
    }
    withTable("sorted", "lexical", "orc") {
      for ((name, sort) <- Seq("sorted" -> "ZORDER (a, b)", "lexical" -> "(a, b)")) {
        spark.sql(s"CREATE TABLE $name (a INT, b INT) USING parquet SORT BY $sort")
        spark.sql(s"INSERT INTO $name SELECT id, id FROM range(10)")
        refused(s"OPTIMIZE $name", "ZORDER_COMPACTION_OF_ORDER", "55000", "columns" -> "a, b")
      }
      spark.sql("CREATE TABLE orc (a INT) USING orc")
      refused("OPTIMIZE orc", "ZORDER_UNSUPPORTED_FORMAT", "0A000", "statement" -> "OPTIMIZE")
      refused("OPTIMIZE nosuchtable", "TABLE_OR_VIEW_NOT_FOUND", "42P01")
    }
  }
}
