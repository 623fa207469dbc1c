// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet

import java.io.File

import io.sparkzorder.{DailyTest, LongTest}
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

/** OPTIMIZE of plain Parquet tables: rows stay, files are those planned, the index tells them. */
class ParquetOptimizeSuite extends ParquetTables with AdaptiveSparkPlanHelper {

  test("a folder of files") {
    inFolder { path =>
      events(4000).repartition(7).write.parquet(path)
      val old = dataFiles(path).map(_.getName)
      keepingRows(path) {
        val result = optimize(path)
        assert(result.getString(0).endsWith(path))
        val metrics = result.getStruct(1)
        assert(metrics.getAs[Long]("numFilesRemoved") == 7)
        assert(metrics.getAs[Long]("numFilesAdded") == dataFiles(path).size)
        val layout = result.getSeq[org.apache.spark.sql.Row](2)
        assert(layout.map(_.getString(0)) == Seq("a", "b"))
        assert(layout.forall(l => l.getDouble(2) < l.getDouble(1)))
      }
      assert(dataFiles(path).map(_.getName).intersect(old).isEmpty)
      requireOneClosedRewrite(path)
    }
  }

  test("partition folders, with values that must be escaped, and NULL", LongTest) {
    inFolder { path =>
      events(3000)
        .selectExpr(
          "*",
          "CASE p WHEN 0 THEN 'a b/c=d%20' WHEN 1 THEN 'ä#?' WHEN 2 THEN NULL ELSE '2024-01-01' END AS q")
        .write
        .partitionBy("q", "p")
        .parquet(path)
      keepingRows(path) {
        assert(optimize(path).getStruct(1).getAs[Long]("partitionsOptimized") == 4)
      }
      keepingRows(path) {
        val some = optimize(path, "WHERE p >= 2 ZORDER BY (a, b)").getStruct(1)
        assert(some.getAs[Long]("partitionsOptimized") == 2)
      }
    }
  }

  test("catalog tables, partitioned and not, in any case of names", LongTest) {
    for (by <- Seq("", "PARTITIONED BY (p)")) withTable("t") {
      spark.sql(s"CREATE TABLE t (id BIGINT, a INT, B DOUBLE, c STRING, p INT) USING parquet $by")
      events(2000).repartition(4).write.insertInto("t")
      val before = spark.table("t").collect().toSeq
      val result = spark.sql("OPTIMIZE T ZORDER BY (A, b) OPTIONS (target_file_size = '8k')").head()
      assert(result.getStruct(1).getAs[Long]("numFilesAdded") > 1)
      checkAnswer(spark.table("t"), before)
      checkAnswer(
        spark.sql("SELECT count(*) FROM t WHERE a < 10"),
        spark.range(1).selectExpr(s"${before.count(_.getInt(1) < 10)}L"))
    }
  }

  test("a dry run changes nothing, and says what a run would do") {
    inFolder { path =>
      events(2000).repartition(4).write.parquet(path)
      val before = dataFiles(path).map(f => f.getName -> f.lastModified).toSet
      val row = optimize(path, "ZORDER BY (a, b) OPTIONS (target_file_size = '8k') DRY RUN")
      assert(row.getStruct(1).getAs[Long]("numFilesAdded") > 1)
      assert(dataFiles(path).map(f => f.getName -> f.lastModified).toSet == before)
      assert(!new File(path, "_zorder").exists())
    }
  }

  test("the index has every file, as it is") {
    inFolder { path =>
      events(2000).repartition(4).write.partitionBy("p").parquet(path)
      optimize(path)
      val index = spark.read.parquet(s"$path/_zorder/statistics")
      assert(index.columns.toSeq ==
        Seq(
          "file",
          "size",
          "modification_time",
          "rows",
          "min",
          "max",
          "null_count",
          "clustering",
          "state",
          "without_nan"))
      val rows =
        index.selectExpr("file", "size", "modification_time", "rows", "min.a", "max.a", "null_count.b").collect()
      assert(rows.map(_.getString(0)).toSet == dataFiles(path).map(_.getPath.stripPrefix(path + "/")).toSet)
      rows.foreach { r =>
        val file = new File(path, r.getString(0))
        assert(file.length == r.getLong(1) && file.lastModified == r.getLong(2))
        val data =
          spark.read.parquet(file.getPath).selectExpr("count(*)", "min(a)", "max(a)", "count_if(b IS NULL)").head()
        assert(data.toSeq == r.toSeq.drop(3))
      }
    }
  }

  test("incremental runs leave what is clustered, and do nothing where nothing came", LongTest) {
    inFolder { path =>
      events(4000).repartition(4).write.parquet(path)
      optimize(path)
      val clustered = dataFiles(path).map(_.getName).toSet
      val again = "ZORDER BY (a, b) OPTIONS (target_file_size = '8k', mode = 'incremental')"
      assert(optimize(path, again).getStruct(1).getAs[Long]("numFilesAdded") == 0)
      assert(dataFiles(path).map(_.getName).toSet == clustered)
      events(300, 4000).coalesce(1).write.mode("append").parquet(path)
      keepingRows(path) {
        val result = optimize(path, again).getStruct(1)
        assert(result.getAs[Long]("numFilesAdded") > 0)
        assert(
          result.getAs[org.apache.spark.sql.Row]("zOrderStats").getAs[String]("strategyName").contains("incremental"))
      }
      assert(dataFiles(path).map(_.getName).toSet.intersect(clustered).nonEmpty)
    }
  }

  test("columns that only some files have are kept, nested ones too", DailyTest) {
    inFolder { path =>
      spark.sql("SELECT id, CAST(id AS INT) AS a, named_struct('x', id) AS s FROM range(100)").write.parquet(path)
      spark
        .sql(
          "SELECT id, CAST(id AS INT) AS a, named_struct('x', id, 'y', 'z') AS s, map(1, id) AS m FROM range(100, 200)")
        .write
        .mode("append")
        .parquet(path)
      spark.sql("SELECT CAST(id AS INT) AS a FROM range(200, 220)").write.mode("append").parquet(path)
      keepingRows(path)(optimize(path, "ZORDER BY (a, s.x)"))
      withTable("t") {
        // The catalog knows less than the files.
        spark.sql(s"CREATE TABLE t (a INT) USING parquet LOCATION '$path'")
        keepingRows(path)(spark.sql("OPTIMIZE t ZORDER BY (a)").collect())
      }
    }
  }

  test("INT96, and both timestamps, decimals, binaries, intervals") {
    inFolder { path =>
      val types = """SELECT id, CAST(id % 7 AS DECIMAL(20, 3)) AS a, timestamp_seconds(id * 1000003) AS ts,
        CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ) AS n, CAST(CAST(id AS STRING) AS BINARY) AS bin,
        CAST(id AS FLOAT) AS f, id % 2 = 0 AS flag, make_dt_interval(CAST(id AS INT)) AS i, array(id) AS arr"""
      withSQLConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
        spark.sql(s"$types FROM range(500)").repartition(3).write.parquet(path)
      }
      keepingRows(path)(optimize(path, "ZORDER BY (ts, a) OPTIONS (target_file_size = '2k')"))
      val index = spark.read.parquet(s"$path/_zorder/statistics")
      assert(
        index.filter("min.ts IS NULL OR max.n IS NULL OR min.a IS NULL OR min.bin IS NULL OR min.i IS NULL").isEmpty)
    }
  }

  private def scanned(query: DataFrame): (Long, Long) = {
    query.collect()
    val scan = collect(query.queryExecution.executedPlan) { case s: IndexedScanExec => s }.head
    (scan.metrics("numFiles").value, scan.metrics(IndexedScanExec.FilesPruned).value)
  }

  test("queries skip files by the index that OPTIMIZE leaves, and EXPLAIN SKIPPING says so") {
    inFolder { path =>
      events(4000).repartition(4).write.partitionBy("p").parquet(path)
      optimize(path)
      val files = dataFiles(path).size
      val queries =
        Seq("a = 17", "b < 3.5", "a IN (1, 999) AND b > 100", "c LIKE 'é1%' AND p = 1", "b IS NULL AND a < 50")
      for (where <- queries) {
        val query = s"SELECT * FROM parquet.`$path` WHERE $where"
        val expected = withSkipping(false)(spark.sql(query).collect().toSeq)
        checkAnswer(spark.sql(query), expected)
        val (read, pruned) = scanned(spark.sql(query))
        if (where.startsWith("a")) assert(pruned > 0, where)
        val explained = spark.sql(s"EXPLAIN SKIPPING $query").head()
        assert(explained.getAs[Long]("files_total") == files)
        assert(explained.getAs[Long]("files_read") == read, where)
      }
      // A file that the index does not know as it is.
      events(10, 5000).coalesce(1).drop("p").write.mode("append").parquet(s"$path/p=1")
      val query = s"SELECT count(*) FROM parquet.`$path` WHERE id >= 5000"
      checkAnswer(spark.sql(query), spark.range(1).selectExpr("10L"))
      assert(scanned(spark.sql(query))._1 == 1)
    }
  }

  test("where_files chooses files by their bounds", DailyTest) {
    inFolder { path =>
      events(4000).repartition(4).write.parquet(path)
      optimize(path)
      val before = dataFiles(path).map(_.getName).toSet
      keepingRows(path) {
        val run = optimize(
          path,
          "WHERE a < 100 ZORDER BY (a, b) OPTIONS (target_file_size = '8k', where_files = 'overlapping')")
        val removed = run.getStruct(1).getAs[Long]("numFilesRemoved")
        assert(removed > 0 && removed < before.size)
      }
      assert(dataFiles(path).map(_.getName).toSet.intersect(before).nonEmpty)
    }
  }

  test("a listing from before a rewrite is repeated, in this session and in another", LongTest) {
    inFolder { path =>
      events(1000).repartition(4).write.parquet(path)
      withTable("t") {
        spark.sql(s"CREATE TABLE t USING parquet LOCATION '$path'")
        val other = spark.newSession()
        val held = Seq(spark, other).map(_.read.parquet(path)) ++ Seq(spark, other).map(_.table("t"))
        // A plan that has run once keeps its files; what is planned again must not.
        def rows = held.map(_.select("*").collect().toSet)
        val before = rows
        optimize(path)
        assert(rows == before)
        assert(other.table("t").where("a < 500").count() == before.head.count(_.getInt(1) < 500))
      }
    }
  }
}
