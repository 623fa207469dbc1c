// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.functions.col

/** Tables of unusual shapes get sensible files. */
class OptimizeShapesSuite extends QueryTest with DeltaSession with LongSuite {

  test("a thousand partitions of twenty rows: a file each, in a few jobs and tasks") {
    withTable("t") {
      val rows =
        spark.range(0, 20000, 1, 4).selectExpr("id", "cast(id % 1000 AS int) AS part", "hash(id) AS a", "id % 7 AS b")
      rows.repartition(col("part")).write.format("delta").partitionBy("part").saveAsTable("t")
      val jobs = jobsOf(keepingRows("t")(sql("OPTIMIZE t ZORDER BY (a, b)").collect()))
      assert(added("t").size === 1000 && added("t").map(_.partitionValues).distinct.size === 1000)
      assert(jobs.count(_.contains("z-order")) <= 4, jobs)
    }
  }

  test("one value in nine rows of ten: its rows are spread, the others' files are apart from it") {
    withTable("t") {
      val rows = spark
        .range(0, 40000, 1, 4)
        .selectExpr(
          "id",
          "if(id % 10 = 0, pmod(hash(id), 100000), 777777) AS a",
          "if(id % 10 = 0, hash(id, 1), 5) AS b")
      createTable("t", rows, files = 6)
      keepingRows("t")(optimize("t", "a, b", files = 20))
      val perFile = added("t").flatMap(_.numLogicalRecords)
      assert(perFile.size >= 15 && perFile.size <= 27, perFile)
      assert(perFile.max <= 40000 / 20 * 2, perFile)
      // Point lookups of the frequent value read its own files, and at most a few more.
      val layout =
        sql("DESCRIBE LAYOUT EXTENDED t ON (a)").collect().map(r => (r.getString(6).toInt, r.getString(7).toInt))
      assert(layout.count { case (min, max) => min == 777777 && max == 777777 } >= 14)
      assert(layout.count { case (min, max) => min < 777777 && max == 777777 } <= 1)
    }
  }

  test("a column that goes with the partition is clustered within each, by either curve") {
    for (curve <- Seq("zorder", "hilbert")) withTable("t") {
      // A time within its day: of all times, a partition has an eighth.
      val rows = spark
        .range(0, 64000, 1, 4)
        .selectExpr(
          "id",
          "cast(id % 8 AS int) AS day",
          "id % 8 * 86400 + pmod(hash(id), 86400) AS time",
          "hash(id, 1) AS a")
      createTable("t", rows, files = 2, partitionBy = Seq("day"))
      val size = bytesOf("t") / 128
      keepingRows("t")(
        sql(s"OPTIMIZE t ZORDER BY (time, a) OPTIONS (target_file_size = '$size', curve = '$curve')").collect())
      for (column <- Seq("time", "a"); day <- Seq(0, 7)) {
        val found = layout("t", column, s"day = $day").head()
        assert(found.getAs[Long]("files") === 16)
        assert(found.getAs[Double]("point_read_share") <= 0.27, s"$curve, $column")
      }
    }
  }

  test("a sample of a few rows for each file still gives each partition its files") {
    withTable("t") {
      val rows =
        spark.range(0, 20000, 1, 4).selectExpr("id", "cast(id % 5 AS int) AS part", "hash(id) AS a", "hash(id, 1) AS b")
      createTable("t", rows, files = 2, partitionBy = Seq("part"))
      withSQLConf("spark.sql.zorder.sampleSize" -> "100")(keepingRows("t")(optimize("t", "a, b", files = 20)))
      assert(added("t").groupBy(_.partitionValues).size === 5)
      assert(added("t").size >= 10 && added("t").size <= 40)
    }
  }
}
