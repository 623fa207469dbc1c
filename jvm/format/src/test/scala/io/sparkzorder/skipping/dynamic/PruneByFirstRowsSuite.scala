// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.dynamic

import io.sparkzorder.LongSuite
import io.sparkzorder.skipping.scan.SkippingSession

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.functions._

/** Queries for the first rows of a table in an order, and for extremes: the same rows from fewer files. */
class PruneByFirstRowsSuite extends QueryTest with SkippingSession with LongSuite {

  override protected def inShortRing: Set[String] = Set("the first rows by a column")

  /** Ten files of 100 rows, `id` from 0 to 999 in order; `x` lacks a value in every seventh row, and in file 3. */
  private def withRows(body: => Unit): Unit = withTempPath { folder =>
    spark.range(0, 1000, 1, 10)
      .select(
        col("id"),
        format_string("n%04d", col("id")).as("name"),
        when(col("id") % 7 =!= 0 && !col("id").between(300, 399), col("id").cast("double")).as("x"),
        (col("id") % 10).as("ten"),
        struct(col("id").cast("int").as("i")).as("s")
      )
      .write.parquet(folder.getPath)
    withTempView("t") {
      indexed(folder) {
        spark.read.parquet(folder.getPath).createOrReplaceTempView("t")
        adaptive(body)
      }
    }
  }

  private def read(query: String): Long = filesOf(checked(spark.sql(query)))._1

  test("the first rows by a column") {
    withRows {
      assert(read("SELECT * FROM t ORDER BY id LIMIT 10") === 1)
      assert(read("SELECT * FROM t ORDER BY id DESC LIMIT 10") === 1)
      assert(read("SELECT name, id + 1 AS n FROM t ORDER BY name DESC, id LIMIT 150") === 2)
      assert(read("SELECT id FROM t ORDER BY s.i LIMIT 5 OFFSET 98") === 2)
      assert(read("SELECT id AS k FROM t ORDER BY cast(id AS double) LIMIT 1") === 1)
      assert(read("SELECT * FROM t ORDER BY id LIMIT 2000") === 10)
      assert(read("SELECT * FROM t ORDER BY -id LIMIT 10") === 1)
      assert(read("SELECT * FROM t ORDER BY coalesce(id, 3) * 2 + 1 LIMIT 10") === 1)
      assert(read("SELECT id % 7 FROM t ORDER BY id % 7 LIMIT 10") === 10)
      assert(read("SELECT ten FROM t ORDER BY ten LIMIT 10") === 10)
    }
  }

  test("NULLs are where the query wants them") {
    withRows {
      // Every file has some.
      assert(read("SELECT x FROM t ORDER BY x LIMIT 10") === 10)
      assert(read("SELECT x FROM t ORDER BY x NULLS LAST LIMIT 50") === 10)
      assert(read("SELECT x FROM t ORDER BY x DESC LIMIT 50") === 10)
      assert(read("SELECT name FROM t ORDER BY name NULLS LAST LIMIT 50") === 1)
      // As a value, it may be before all others, behind them, or between.
      for (value <- Seq("-1", "500", "5000"); direction <- Seq("", "DESC"))
        assert(read(s"SELECT coalesce(x, $value) AS y FROM t ORDER BY coalesce(x, $value) $direction LIMIT 20") > 0)
    }
  }

  test("filters that statistics decide, and others") {
    withRows {
      assert(read("SELECT id FROM t WHERE id >= 250 ORDER BY id LIMIT 10") === 2)
      assert(read("SELECT id FROM t WHERE id >= 200 AND name < 'n0900' ORDER BY id DESC LIMIT 10") === 1)
      assert(read("SELECT id FROM t WHERE ten = 3 ORDER BY id LIMIT 10") === 10)
      assert(read("SELECT id FROM t WHERE id >= 200 AND x IS NOT NULL ORDER BY id LIMIT 10") === 7)
      assert(
        read("SELECT id FROM (SELECT id, name FROM t WHERE id IS NOT NULL) WHERE id > 99 ORDER BY id LIMIT 10") === 1)
    }
  }

  test("min and max read only the files that can hold them") {
    withRows {
      assert(read("SELECT min(id) FROM t") === 1)
      assert(read("SELECT max(id), min(id) FROM t") === 2)
      assert(read("SELECT max(name), max(id) FROM t WHERE id < 500") === 1)
      assert(read("SELECT max(id) FROM t WHERE ten = 3") === 10)
      // A file's values may all be of rows that the statistics do not count.
      assert(read("SELECT max(x) FROM t") <= 10)
      assert(read("SELECT min(id), count(*) FROM t") === 10)
      assert(read("SELECT min(id), sum(ten) FROM t") === 10)
      assert(read("SELECT ten, min(id) FROM t GROUP BY ten") === 10)
      assert(read("SELECT min(id) FILTER (WHERE ten = 3) FROM t") === 10)
    }
  }

  test("what uses other rows, too, reads all of them") {
    withRows {
      assert(read("SELECT count(*) AS n FROM t GROUP BY ten ORDER BY n LIMIT 3") === 10)
      assert(read("SELECT id, row_number() OVER (ORDER BY name DESC) AS r FROM t ORDER BY id LIMIT 3") === 10)
      assert(read("SELECT id FROM (SELECT id, rand(3) AS r FROM t) WHERE r < 0.5 ORDER BY id LIMIT 3") === 10)
      assert(read("SELECT DISTINCT ten FROM t ORDER BY ten LIMIT 3") === 10)
      val seen = spark.table("t").observe("seen", count(lit(1)).as("n")).orderBy("id").limit(3)
      assert(seen.collect().map(_.getLong(0)) === Array(0, 1, 2))
      assert(seen.queryExecution.observedMetrics("seen") === Row(1000))
    }
  }

  test("a LIMIT below other operators leaves out no file that they need") {
    withRows {
      checked(spark.sql("SELECT * FROM t JOIN (SELECT id AS k FROM t ORDER BY id LIMIT 3) ON id = k"))
      checked(spark.sql("(SELECT id FROM t ORDER BY id LIMIT 3) UNION ALL (SELECT id FROM t ORDER BY id LIMIT 300)"))
      checked(spark.sql("SELECT * FROM t WHERE id = (SELECT max(id) FROM t WHERE id < 500)"))
    }
  }

  test("the plan says which rows are needed") {
    withRows {
      val text = spark.sql("SELECT * FROM t ORDER BY id LIMIT 10").queryExecution.toString
      assert(text.contains("first 10 by id"), text)
    }
  }
}
