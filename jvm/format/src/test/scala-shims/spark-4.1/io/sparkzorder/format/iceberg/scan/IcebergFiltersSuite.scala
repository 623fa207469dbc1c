// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.JobLog
import io.sparkzorder.format.iceberg.EqualityDeletes
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

/** Filters that Iceberg cannot plan its files by leave out files when a query runs. */
class IcebergFiltersSuite extends QueryTest with PrunedQueries with JobLog {

  /** Ten files of 100 rows, `id` from 0 to 999 in order; an hour of `at` for each, from the end of 2023 on. */
  private def sorted: DataFrame = spark.range(0, 1000, 1, 10).selectExpr(
    "id",
    "CAST(id AS INT) AS i",
    "format_string('n%04d', id) AS name",
    "if(id % 7 = 0, NULL, if(id BETWEEN 300 AND 399, double('NaN'), id / 2.0D)) AS x",
    "if(id BETWEEN 500 AND 599, NULL, id) AS gap",
    "timestamp_seconds(1703790000 + id * 3600) AS at",
    "CAST(timestamp_seconds(1703790000 + id * 3600) AS DATE) AS d",
    "CAST(id / 4 AS DECIMAL(9, 2)) AS price",
    "named_struct('k', if(id % 10 = 0, NULL, id)) AS s"
  )

  private val mergeOnRead = "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read'"

  private def withRows(version: Int = 2, properties: String = mergeOnRead)(body: => Unit): Unit = withIceberg {
    create(sorted, version, properties = properties)
    body
  }

  private def leftOut(condition: String): Long = leftOutOf(s"SELECT * FROM $t WHERE $condition")

  private var isAdaptive = false

  /** Runs a query with dynamic skipping and without; one with adaptive execution, the next one without. */
  private def leftOutOf(query: String): Long = {
    isAdaptive = !isAdaptive
    withSQLConf("spark.sql.adaptive.enabled" -> isAdaptive.toString) {
      val data = sql(query)
      withClue(query)(assert(rows(data) === withSQLConf(dynamic -> "false")(rows(sql(query)))))
      prunedBy(IndexedScanExec.FilesPruned, data.queryExecution.executedPlan)
    }
  }

  test("functions of a column") {
    withRows() {
      for (ansi <- Seq("true", "false")) withSQLConf("spark.sql.ansi.enabled" -> ansi) {
        assert(leftOut("i + 1 = 7") === 9)
        assert(leftOut("cast(i AS BIGINT) + 1 = 7") === 9)
      }
      assert(leftOut("5 - id < -900 AND name > ''") === 9)
      assert(leftOut("substr(name, 1, 3) = 'n03'") === 9)
      assert(leftOut("left(name, 4) LIKE 'n03%'") === 9)
      assert(leftOut("floor(price) = 30") === 9)
      assert(leftOut("coalesce(gap, 0) = 0") === 8)
      assert(leftOut("coalesce(x, 0) > 450") === 8)
      assert(leftOut("NOT (i + 1 > 100)") === 9)
      assert(leftOut("i + 1 = 7 OR id - 1 = 250") === 8)
      assert(leftOut("CASE WHEN i + 1 < 50 THEN true ELSE i > 900 END") === 8)
      assert(leftOut("s.k + 1 = 7") === 9)
      // Of every value there may be some in each file.
      assert(leftOut("i + 1 = 7 OR id % 7 = 3") === 0)
      assert(leftOut("upper(name) = 'N0300'") === 0)
      // By filters that Iceberg has planned its files by it has left them out before.
      assert(leftOut("id = 7 AND name LIKE 'n%'") === 0)
      assert(leftOut("id < 300 AND i + 1 = 7") === 2)
    }
  }

  test("dates and time zones") {
    withRows() {
      for (zone <- Seq("UTC", "America/New_York")) withSQLConf("spark.sql.session.timeZone" -> zone) {
        // Spark makes a range of it.
        assert(leftOut("date(at) = DATE'2024-01-15'") === 0)
        assert(leftOut("year(at) = 2023") >= 7)
        assert(leftOut("date_trunc('MONTH', at) = TIMESTAMP'2024-02-01'") >= 6)
        assert(leftOut("month(d) = 2") >= 5)
        assert(leftOut("hour(at) = 3") === 0)
      }
    }
  }

  test("values of subqueries, long lists, and what Iceberg expresses but finds nothing by") {
    withRows() {
      assert(leftOut(s"id = (SELECT max(i) FROM $t WHERE id < 500)") === 9 + 2 * 4)
      assert(leftOut(s"i + 1 > (SELECT max(id) FROM $t WHERE name < 'n0950')") === 9 + 2 * 8)
      assert(leftOut(s"id = (SELECT max(id) FROM $t WHERE id < 0)") === 10)
      val many = (0 until 300).map(k => s"${k + 350}").mkString(", ")
      assert(leftOut(s"id IN ($many)") === 6)
      assert(leftOut("id IN (3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)") === 0)
    }
  }

  test("rows that are deleted, and those of a version or a branch") {
    for (version <- Seq(2, 3)) withRows(version) {
      val first = current.snapshotId
      sql(s"DELETE FROM $t WHERE i + 1 BETWEEN 50 AND 220")
      assert(tasks.count(_.deletes.size > 0) === 3 && files.size === 10)
      EqualityDeletes.of(table, "id", 301L, 302L)
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      sql(s"INSERT INTO $t.branch_other SELECT id + 5000, i, name, x, gap, at, d, price, s FROM $t WHERE id > 900")
      assert(leftOut("i + 1 < 100") === 9)
      assert(leftOut("i - 1 BETWEEN 290 AND 310") === 8)
      assert(leftOutOf(s"SELECT * FROM $t VERSION AS OF $first WHERE i + 1 < 100") === 9)
      assert(leftOutOf(s"SELECT * FROM $t.branch_other WHERE id + 1 > 5000") === 10)
      sql(s"UPDATE $t SET name = 'new', i = i + 5000 WHERE id + 1 = 900")
      checkAnswer(sql(s"SELECT id FROM $t WHERE i - 1 > 5000 AND name = 'new'"), Row(899L))
    }
  }

  test("columns that were renamed, widened, added, and of whose files nothing is known") {
    withIceberg {
      val none = "'write.metadata.metrics.column.name' = 'none', 'write.metadata.metrics.column.id' = 'counts'"
      create(sorted.drop("x", "price").selectExpr("*", "CAST(id AS FLOAT) AS f"), 3, properties = none)
      sql(s"ALTER TABLE $t RENAME COLUMN i TO number")
      sql(s"ALTER TABLE $t ALTER COLUMN number TYPE BIGINT")
      sql(s"ALTER TABLE $t ALTER COLUMN f TYPE DOUBLE")
      sql(s"ALTER TABLE $t ADD COLUMN i INT")
      sql(s"INSERT INTO $t SELECT id, 5000000000 + id, name, gap, at, d, s, f + 0.1, id FROM $t WHERE id < 10")
      assert(files.size === 11)
      assert(leftOut("number + 1 = 7") === 10)
      assert(leftOut("number - 1 > 5000000000") === 10)
      assert(leftOut("coalesce(f, 3.5D) = 3.5D") === 9)
      assert(leftOut("i + 1 = 7") === 0)
      assert(leftOut("coalesce(gap, 0) = 0") === 8)
      assert(leftOut("substr(name, 1, 3) = 'n03'") === 0)
      assert(leftOut("id + 1 = 7") === 0)
    }
  }

  test("files that were added hold no column of their partitions") {
    withIceberg {
      withTempPath { folder =>
        spark.range(60).selectExpr(
          "id",
          "date_add(DATE'2023-12-30', CAST(id % 4 AS INT)) AS d",
          "if(id % 3 = 0, NULL, id % 3) AS p")
          .repartition(1).write.partitionBy("d", "p").parquet(folder.getPath)
        sql(s"CREATE TABLE $t (id BIGINT, d DATE, p INT) USING iceberg PARTITIONED BY (d, p)")
        sql(s"CALL ice.system.add_files(table => 'db.t', source_table => '`parquet`.`$folder`')")
        sql(s"ALTER TABLE $t ALTER COLUMN p TYPE BIGINT")
        assert(files.size === 12)
        assert(leftOut("year(d) = 2023") === 6)
        // Iceberg has left out those of NULL.
        assert(leftOut("p + 1 = 2") === 4)
        assert(leftOut("coalesce(p, 7) = 7 AND month(d) = 12") === 10)
        assert(leftOut("id + 1 < 30") === 0)
      }
    }
  }

  test("with keys of a join, first rows, DELETE and a table that a query has twice") {
    withRows() {
      val few = "(SELECT id * 30 AS k FROM range(5))"
      assert(checkedFirst(s"SELECT * FROM $t JOIN $few ON id = k WHERE i + 1 > 150") === 1)
      assert(checked(s"SELECT /*+ BROADCAST(f) */ * FROM $t JOIN $few f ON id = k WHERE 2 * i < 350") === 0)
      assert(checkedFirst(s"SELECT id FROM $t WHERE i + 1 > 250 ORDER BY id LIMIT 5") === 2)
      assert(checkedFirst(s"SELECT max(id) FROM $t WHERE 2 * i < 350") === 8)
      val part = s"(SELECT name, max(i) AS m FROM $t WHERE i + 1 > 850 GROUP BY name)"
      val twice = s"SELECT * FROM $part x JOIN $part y ON x.name = y.name"
      checkedFirst(twice)
      val plan = sql(twice)
      plan.collect()
      assert(collect(plan.queryExecution.executedPlan) { case reused: ReusedExchangeExec => reused }.nonEmpty)
      sql(s"DELETE FROM $t WHERE i + 1 = 500")
      assert(sql(s"SELECT * FROM $t").count() === 999)
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('write.delete.mode' = 'copy-on-write', 'write.update.mode' = 'copy-on-write')")
      sql(s"DELETE FROM $t WHERE i + 1 = 600")
      sql(s"UPDATE $t SET name = 'new' WHERE 2 * i = 1400")
      checkAnswer(sql(s"SELECT count(*), count_if(name = 'new') FROM $t"), Row(998L, 1L))
    }
  }

  test("a plan runs nothing, EXPLAIN shows the filter, and EXPLAIN SKIPPING foresees the files") {
    withRows() {
      val query = s"SELECT NAME FROM $t WHERE I + 1 = 7"
      var plan = ""
      assert(jobsOf { plan = sql(query).queryExecution.executedPlan.toString } === Nil)
      assert("RuntimeFilters: \\[\\(\\(i#\\d+ \\+ 1\\) = 7\\)\\]".r.findFirstIn(plan).isDefined, plan)
      val row = sql(s"EXPLAIN SKIPPING $query").head()
      assert(row.getAs[Long]("files_read") === 1 && row.getAs[Long]("files_total") === 10)
    }
  }
}
