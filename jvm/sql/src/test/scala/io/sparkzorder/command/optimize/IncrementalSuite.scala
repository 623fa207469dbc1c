// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.delta.tables.DeltaTable
import io.sparkzorder.{DeltaSession, LongSuite, LongTest}

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.delta.DeltaLog

/** `OPTIONS (mode = 'incremental')`. */
class IncrementalSuite extends QueryTest with DeltaSession with LongSuite {

  /** Points spread evenly, each id its own; `t` grows with the id, as a time does. */
  private def points(from: Long, rows: Long): DataFrame = spark
    .range(from, from + rows, 1, 2)
    .selectExpr("id", "id AS t", "xxhash64(id, 1) AS x", "concat('u', pmod(xxhash64(id, 2), 1000000)) AS y")

  private def incremental(table: String, columns: String, size: Long, rest: String = ""): Row =
    keepingRows(table) {
      sql(s"OPTIMIZE $table ZORDER BY ($columns) " +
        s"OPTIONS (mode = 'incremental', target_file_size = '$size'$rest)").head()
    }

  private def append(table: String, data: DataFrame): Unit = data.coalesce(1).writeTo(table).append()

  private def paths(table: String): Set[String] = filesOf(table).map(_.path).toSet

  private def strategy(result: Row): String = result.getStruct(1).getAs[Row]("zOrderStats").getAs[String](0)

  private def metric(result: Row, name: String): Long = result.getStruct(1).getAs[Long](name)

  /** Per column, the share of files that a point lookup reads. */
  private def shares(table: String, columns: String): Seq[Double] =
    layout(table, columns).collect().map(_.getAs[Double]("point_read_share")).toSeq

  private def requireNear(table: String, full: String, columns: String, clue: String): Unit = {
    val ratios = shares(table, columns).zip(shares(full, columns)).map { case (share, of) => share / of }
    assert(ratios.forall(_ <= 1.15), clue)
  }

  /** No commit, and no job that reads data. */
  private def requireNothingToDo(table: String, columns: String, size: Long): Unit = {
    val files = filesOf(table).size
    val jobs = jobsOf(changingNothing(table) {
      val result =
        sql(s"OPTIMIZE $table ZORDER BY ($columns) OPTIONS (mode = 'incremental', target_file_size = '$size')").head()
      assert(metric(result, "numFilesRemoved") === 0 && metric(result, "numFilesAdded") === 0)
      assert(metric(result, "totalConsideredFiles") === files && metric(result, "totalFilesSkipped") === files)
      assert(result.getSeq[Row](2) === Nil)
    })
    assert(!jobs.exists(_.contains("z-order of")), jobs)
  }

  test("no new files: nothing is read, nothing committed") {
    withTable("t") {
      createTable("t", points(0, 4000))
      val size = bytesOf("t") / 8
      sql(s"OPTIMIZE t ZORDER BY (x, y) OPTIONS (target_file_size = '$size')")
      requireNothingToDo("t", "x, y", size)
      // From a checkpoint, in a JVM that has not seen the table.
      log("t").checkpoint()
      DeltaLog.clearCache()
      requireNothingToDo("t", "x, y", size)
    }
  }

  for ((name, columns) <- Seq("everywhere" -> "x, y", "at the end" -> "t, x"))
    test(s"ten rounds of appends, $name: near a full run's share, for a part of its bytes", LongTest) {
      withTable("t", "full") {
        for (table <- Seq("t", "full")) createTable(table, points(0, 8000))
        val size = bytesOf("t") / 16
        incremental("t", columns, size)
        val bytes = (1 to 10).map { round =>
          for (table <- Seq("t", "full")) append(table, points(8000 + 800 * (round - 1), 800))
          incremental("t", columns, size)
          val rewritten = removed("t").flatMap(_.size).sum
          sql(s"OPTIMIZE full ZORDER BY ($columns) OPTIONS (target_file_size = '$size')")
          requireNear("t", "full", columns, s"round $round")
          (rewritten, removed("full").flatMap(_.size).sum)
        }
        assert(bytes.map(_._1).sum < 0.7 * bytes.map(_._2).sum, bytes)
        requireNothingToDo("t", columns, size)
      }
    }

  test("new files beside the clustered ones leave them as they are") {
    withTable("t") {
      createTable("t", points(0, 8000))
      val size = bytesOf("t") / 16
      incremental("t", "t, x", size)
      val before = paths("t")
      append("t", points(8000, 800))
      val result = incremental("t", "t, x", size)
      assert(before.subsetOf(paths("t")))
      assert(strategy(result) === "incremental" && metric(result, "totalFilesSkipped") === before.size)
      assert(metric(result, "numFilesRemoved") === 1)
    }
  }

  test("a load of a file's size: no more files than point lookups need, and the dry run foretells them") {
    withTable("t", "full") {
      for (table <- Seq("t", "full")) createTable(table, points(0, 4000))
      val size = bytesOf("t") / 16
      incremental("t", "x, y", size)
      for (table <- Seq("t", "full")) append(table, points(4000, 250))
      val (before, arrived) = (paths("t").size, 1)
      val statement = s"OPTIMIZE t ZORDER BY (x, y) OPTIONS (mode = 'incremental', target_file_size = '$size')"
      val foretold = changingNothing("t")(sql(s"$statement DRY RUN").head())
      val result = incremental("t", "x, y", size)
      for (name <- Seq("numFilesAdded", "numFilesRemoved", "totalFilesSkipped"))
        assert(metric(result, name) === metric(foretold, name), name)
      assert(metric(result, "numFilesAdded") <= before + arrived)
      sql(s"OPTIMIZE full ZORDER BY (x, y) OPTIONS (target_file_size = '$size')")
      requireNear("t", "full", "x, y", "one load")
    }
  }

  for (columns <- Seq("x", "t", "x, y, t, id"))
    test(s"by $columns: what arrives is clustered, what does not meet it stays", LongTest) {
      withTable("t") {
        createTable("t", points(0, 4000))
        val size = bytesOf("t") / 8
        incremental("t", columns, size)
        for (round <- 0 to 2) {
          val before = filesOf("t").size
          append("t", points(4000 + 400 * round, 400))
          val result = incremental("t", columns, size)
          assert(metric(result, "totalConsideredFiles") === before + 1)
          requireNothingToDo("t", columns, size)
        }
      }
    }

  test("other columns or another curve: in full, and the result says so") {
    withTable("t") {
      createTable("t", points(0, 2000), partitionBy = Nil)
      val size = bytesOf("t") / 4
      incremental("t", "x, y", size)
      for ((columns, rest, was) <- Seq(
          ("y, x", "", "(x, y) along zorder"),
          ("y, x", ", curve = 'hilbert'", "(y, x) along zorder"),
          ("y", ", curve = 'hilbert'", "(y, x) along hilbert"))) {
        val before = paths("t")
        val result = incremental("t", columns, size, rest)
        assert(strategy(result).contains(s"in full, it was clustered by $was"))
        assert(paths("t").intersect(before).isEmpty)
      }
    }
  }

  test("the mode of the session holds where the statement names none, for Delta's API too") {
    withTable("t") {
      createTable("t", events(1000))
      sql("OPTIMIZE t ZORDER BY (a)")
      withSQLConf("spark.sql.zorder.mode" -> "INCREMENTAL") {
        changingNothing("t")(sql("OPTIMIZE t ZORDER BY (a)"))
        changingNothing("t")(DeltaTable.forName("t").optimize().executeZOrderBy("a"))
        val before = version("t")
        sql("OPTIMIZE t ZORDER BY (a) OPTIONS (mode = 'full')")
        assert(version("t") === before + 1)
      }
    }
  }

  test("of a table's partitions only those with new files") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      incremental("t", "a, b", 4000)
      val before = filesOf("t").filterNot(_.partitionValues("day") == "2024-01-02").map(_.path).toSet
      append("t", events(300).where("day = '2024-01-02'"))
      val result = incremental("t", "a, b", 4000)
      assert(metric(result, "partitionsOptimized") === 1 && before.subsetOf(paths("t")))
      requireNothingToDo("t", "a, b", 4000)
      // A partition that is new.
      append("t", events(300).selectExpr("id", "a", "b", "c", "DATE'2024-02-01' AS day"))
      assert(metric(incremental("t", "a, b", 4000), "partitionsOptimized") === 1)
    }
  }

  test("files of other writers count as new, whatever became of ours") {
    withTable("t") {
      createTable("t", events(3000))
      incremental("t", "a, b", 6000)
      sql("OPTIMIZE t")
      assert(metric(incremental("t", "a, b", 6000), "numFilesRemoved") === 1)
      requireNothingToDo("t", "a, b", 6000)
    }
  }

  test("a renamed column is the same column") {
    withTable("t") {
      createTable("t", events(3000), properties = Map("delta.columnMapping.mode" -> "name"))
      incremental("t", "a, b", 6000)
      sql("ALTER TABLE t RENAME COLUMN a TO `a.b`")
      requireNothingToDo("t", "`a.b`, b", 6000)
    }
  }

  test("files with many deleted rows are rewritten, those with few stay", LongTest) {
    withTable("t") {
      createTable("t", points(0, 4000), properties = Map("delta.enableDeletionVectors" -> "true"))
      val size = bytesOf("t") / 8
      incremental("t", "t, x", size)
      sql("DELETE FROM t WHERE id = 17")
      requireNothingToDo("t", "t, x", size)
      sql("DELETE FROM t WHERE id < 500 AND id % 3 = 0")
      val result = incremental("t", "t, x", size)
      assert(result.getStruct(1).getAs[Row]("deletionVectorStats").getLong(0) > 0)
      assert(metric(result, "numFilesRemoved") < filesOf("t").size)
      requireNothingToDo("t", "t, x", size)
    }
  }

  test("NULLs, equal values, long strings and files without statistics", LongTest) {
    val odd = (from: Int, rows: Int) =>
      spark.range(from, from + rows, 1, 1).selectExpr(
        "id",
        "if(id % 3 = 0, NULL, id % 7) AS a",
        "if(id % 5 < 2, NULL, repeat('é', 30) || (id % 100)) AS b",
        "CAST(NULL AS DOUBLE) AS c")
    for (indexed <- Seq("32", "0")) withTable("t") {
      createTable("t", odd(0, 3000), properties = Map("delta.dataSkippingNumIndexedCols" -> indexed))
      withSQLConf("spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled" -> "false") {
        for (round <- 1 to 4) {
          incremental("t", "a, b, c", 3000)
          requireNothingToDo("t", "a, b, c", 3000)
          append("t", odd(3000 * round, 700))
        }
      }
    }
  }

  test("a dry run foresees what the run does, and changes nothing") {
    withTable("t") {
      createTable("t", points(0, 8000))
      val size = bytesOf("t") / 16
      incremental("t", "x, y", size)
      append("t", points(8000, 800))
      val statement = s"OPTIMIZE t ZORDER BY (x, y) OPTIONS (mode = 'incremental', target_file_size = '$size')"
      val foreseen = changingNothing("t")(sql(s"$statement DRY RUN").head())
      val done = sql(statement).head()
      for (name <- Seq("numFilesRemoved", "numFilesAdded", "totalFilesSkipped"))
        assert(metric(foreseen, name) === metric(done, name))
    }
  }
}
