// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.scan

import io.sparkzorder.JobLog

import org.apache.spark.sql.QueryTest

/** Joins that shuffle both sides, and joins by ranges, leave out files of Iceberg tables by the bounds of the smaller side's keys. */
class IcebergBoundedJoinsSuite extends QueryTest with PrunedQueries with JobLog {

  private val d = "ice.db.d"

  /** Ten files of 5,000 facts, `id` from 0 to 49,999 in order, and a table of 500 dimensions with every hundredth `id`. */
  private def withTables(version: Int = 2)(body: => Unit): Unit = withIceberg {
    create(
      spark.range(0, 50000, 1, 10).selectExpr(
        "id",
        "CAST(id AS INT) AS i",
        "format_string('n%05d', id) AS name",
        "IF(id % 7 = 0, NULL, id / 2.0D) AS x",
        "timestamp_seconds(1704067200 + id * 60) AS at",
        "hash(id) AS h"
      ),
      version,
      properties = "'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read'"
    )
    spark.range(0, 50000, 100, 1).selectExpr(
      "id AS d",
      "CAST(id AS INT) AS di",
      "id AS f",
      "format_string('n%05d', id) AS dname",
      "CASE WHEN id = 200 THEN double('NaN') WHEN id % 300 = 0 THEN NULL ELSE id / 2.0D END AS dx",
      "CAST(timestamp_seconds(1704067200 + id * 60) AS DATE) AS day"
    ).writeTo(d).using("iceberg").tableProperty("write.delete.mode", "merge-on-read").create()
    try withSQLConf("spark.sql.autoBroadcastJoinThreshold" -> "-1", "spark.sql.shuffle.partitions" -> "2")(body)
    finally sql(s"DROP TABLE IF EXISTS $d PURGE")
  }

  test("a join whose smaller side is a table of Iceberg's under a filter") {
    withTables() {
      for (hint <- Seq("", "/*+ SHUFFLE_HASH(d) */", "/*+ MERGE(t) */")) {
        assert(checked(s"SELECT $hint * FROM $t t JOIN $d d ON id = d WHERE f + 0 BETWEEN 5100 AND 9900") === 9)
        assert(checked(s"SELECT $hint * FROM $d d JOIN $t t ON id = d WHERE f + 0 > 44900") === 9)
      }
      assert(checked(s"SELECT * FROM $t LEFT SEMI JOIN $d ON i = di AND f + 0 < 4900") === 9)
      assert(checked(s"SELECT * FROM $t WHERE id IN (SELECT d FROM $d WHERE f + 0 < 4900)") === 9)
      assert(checked(s"SELECT count(*), sum(h) FROM $t JOIN $d ON name = dname WHERE f + 0 < 4900") === 9)
      assert(checked(s"SELECT t.* FROM $t t JOIN $d ON x = dx WHERE f + 0 BETWEEN 300 AND 4900") === 9)
      // NaN is the greatest.
      assert(checked(s"SELECT t.* FROM $t t JOIN $d ON x = dx WHERE f + 0 BETWEEN 200 AND 4900") === 0)
      assert(checked(s"SELECT t.* FROM $t t JOIN $d ON id = d AND name = dname WHERE f + 0 < 4900") === 9)
    }
  }

  test("keys that are functions of a column") {
    withTables() {
      assert(checked(s"SELECT * FROM $t JOIN $d ON id + 1 = d WHERE f + 0 BETWEEN 5100 AND 9900") === 9)
      assert(checked(s"SELECT * FROM $t JOIN $d ON cast(i AS BIGINT) = d WHERE f + 0 < 4900") === 9)
      assert(checked(s"SELECT * FROM $t JOIN $d ON date(at) = day WHERE f + 0 < 1400") === 9)
      assert(checked(s"SELECT * FROM $t JOIN $d ON id % 9 = d WHERE f + 0 < 4900") === 0)
    }
  }

  test("rows of the smaller side that come out without a match: a version of a table has the same rows again") {
    withTables() {
      val few = s"(SELECT * FROM $d WHERE f + 0 < 4900)"
      assert(checked(s"SELECT * FROM $few LEFT JOIN $t ON id = d") === 9)
      assert(checked(s"SELECT * FROM $t RIGHT JOIN $few ON id = d") === 9)
      assert(checked(s"SELECT * FROM $t LEFT JOIN $few ON id = d") === 0)
      assert(checked(s"SELECT * FROM $t FULL JOIN $few ON id = d") === 0)
      assert(checked(s"SELECT * FROM $t LEFT ANTI JOIN $few ON id = d") === 0)
    }
  }

  for (version <- Seq(2, 3))
    test(s"rows that are deleted, on both sides, versions and branches: format version $version") {
      withTables(version) {
        val first = current.snapshotId
        sql(s"DELETE FROM $t WHERE id % 3 = 0 AND id < 12000")
        sql(s"DELETE FROM $d WHERE f BETWEEN 100 AND 5000")
        sql(s"ALTER TABLE $t CREATE BRANCH other")
        sql(s"INSERT INTO $t.branch_other SELECT id + 100000, i, name, x, at, h FROM $t WHERE id < 200")
        assert(checked(s"SELECT * FROM $t t JOIN $d d ON id = d WHERE f + 0 BETWEEN 5100 AND 9900") === 9)
        assert(checked(s"SELECT * FROM $t VERSION AS OF $first t JOIN $d d ON id = d WHERE f + 0 < 9900") === 8)
        assert(checked(s"SELECT * FROM $t.branch_other t JOIN $d d ON id = d WHERE f + 0 > 44900") === 10)
      }
    }

  test("ranges, unions, a table that a query has twice, and other smaller sides") {
    withTables() {
      assert(checked(
        s"SELECT /*+ BROADCAST(r) */ * FROM $t JOIN (SELECT * FROM $d WHERE f + 0 < 4800) r ON id BETWEEN d AND d + 9") === 9)
      checked(
        s"SELECT u.id FROM (SELECT id FROM $t UNION ALL SELECT id + 1 FROM $t) u JOIN $d ON u.id = d WHERE f + 0 < 4900")
      checked(s"SELECT x.id FROM $t x JOIN $t y ON x.id = y.i JOIN $d ON x.id = d WHERE f + 0 < 4900")
      checked(s"SELECT * FROM $t JOIN (SELECT max(d) AS m FROM $d WHERE f + 0 < 4900) ON id = m")
      // As large as the other.
      assert(checked(s"SELECT x.id FROM $t x JOIN (SELECT i + 0 AS k FROM $t WHERE h > 0) y ON x.id = k") === 0)
      withTempView("v") {
        sql("SELECT * FROM VALUES (5100L), (9000L) AS v(k)").createOrReplaceTempView("v")
        assert(checked(s"SELECT * FROM $t JOIN v ON id = k") === 9)
      }
    }
  }

  test("a side that is broadcast above one that shuffles") {
    withTables() {
      withTempView("e") {
        spark.range(3000).selectExpr("id * 20 AS e").createOrReplaceTempView("e")
        checked(
          s"SELECT /*+ BROADCAST(d) */ t.id FROM $t t JOIN e ON h = e.e JOIN $d d ON t.id = d.d WHERE f + 0 < 4900")
      }
    }
  }

  test("MERGE by merge-on-read with rows that are not matched searches the files of the source's keys") {
    withTables() {
      val few = s"(SELECT * FROM $d WHERE f + 0 BETWEEN 5050 AND 9900)"
      val merge = s"MERGE INTO $t t USING $few s ON t.id = s.d + 1 WHEN MATCHED THEN UPDATE SET h = 1 " +
        "WHEN NOT MATCHED THEN INSERT (id, i) VALUES (-1, s.di)"
      sql(merge)
      checkAnswer(
        sql(s"SELECT count(*) FROM $t WHERE h = 1 AND id BETWEEN 5101 AND 9901"),
        org.apache.spark.sql.Row(49L))
      assert(sql(s"SELECT * FROM $t").count() === 50000)
      checked(s"SELECT * FROM $t t JOIN $d d ON id = d WHERE f + 0 BETWEEN 5100 AND 9900")
    }
  }

  test("a plan runs nothing") {
    withTables() {
      val query = s"SELECT * FROM $t t JOIN $d d ON id = d WHERE f + 0 BETWEEN 5100 AND 9900"
      var plan = ""
      assert(jobsOf { plan = sql(query).queryExecution.executedPlan.toString } === Nil)
      assert(plan.contains("BETWEEN (keys of join)"), plan)
      assert(sql(s"EXPLAIN SKIPPING $query").collect().exists(_.getAs[String]("note").contains("keys of a join")))
    }
  }
}
