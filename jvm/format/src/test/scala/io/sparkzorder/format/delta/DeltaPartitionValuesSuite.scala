// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.{DailyTest, LongSuite}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.delta.DeltaOperations

/** Values of partitions that are not told apart by the texts by which a writer knows them. */
class DeltaPartitionValuesSuite extends QueryTest with DeltaRewriting with LongSuite {

  override protected def inShortRing: Set[String] = Set(
    "instants that have one local text stay apart, also where another partition is changed concurrently"
  )

  private val zone = "spark.sql.session.timeZone"
  // Clocks were set back at 09:00 UTC: in Los Angeles both are half past one.
  private val Repeated = Seq("2024-11-03 08:30:00", "2024-11-03 09:30:00")

  private def withHours(body: => Unit): Unit = withTable("t") {
    withSQLConf(zone -> "UTC") {
      sql("CREATE TABLE t (id BIGINT, a INT, hour TIMESTAMP) USING delta PARTITIONED BY (hour)")
      for ((text, id) <- (Repeated :+ "2024-01-01 00:00:00").zipWithIndex)
        sql(s"INSERT INTO t SELECT 10 * $id + id, id, TIMESTAMP'$text' FROM range(4)")
    }
    body
  }

  private def hours: Seq[Row] = sql("SELECT id, unix_micros(hour) FROM t").collect().toSeq

  test("instants that have one local text stay apart, also where another partition is changed concurrently", DailyTest) {
    withHours {
      val before = hours
      withSQLConf(zone -> "America/Los_Angeles")(optimize("t", "id, a", files = 3))
      checkAnswer(sql("SELECT id, unix_micros(hour) FROM t"), before)
      // Delta's own DELETE mixes them up in that zone.
      def concurrently(id: Int): Unit = withSQLConf(zone -> "UTC")(sql(s"DELETE FROM t WHERE id = $id"))
      withSQLConf(zone -> "America/Los_Angeles")(rewriting("t")(concurrently(21)))
      checkAnswer(sql("SELECT id, unix_micros(hour) FROM t"), before.filter(_.getLong(0) != 21))
      withSQLConf(zone -> "America/Los_Angeles")(rewriting("t")(concurrently(11)))
      checkAnswer(sql("SELECT id, unix_micros(hour) FROM t"), before.filterNot(r => Set(21L, 11L)(r.getLong(0))))
    }
  }

  test("instants of which the log has local texts are not mixed up: nothing is committed") {
    withHours {
      val (before, version) = (hours, sql("DESCRIBE HISTORY t").count())
      withSQLConf(
        zone -> "America/Los_Angeles",
        "spark.databricks.delta.write.utcTimestampPartitionValues" -> "false") {
        val e = intercept[ZOrderRuntimeException](optimize("t", "id, a", files = 3))
        assert((e.getCondition, e.getSqlState) === (("ZORDER_PARTITION_MISMATCH", "XXKST")))
        assert(e.getMessageParameters.get("table") === "default.t" && e.getMessage.contains("UTC"))
      }
      checkAnswer(sql("SELECT id, unix_micros(hour) FROM t"), before)
      assert(sql("DESCRIBE HISTORY t").count() === version)
    }
  }

  /** Partitions `x`, NULL, and one of which another writer has put an empty string into the log. */
  private def withEmpty(body: => Unit): Unit = withTable("t") {
    sql("CREATE TABLE t (id BIGINT, a INT, p STRING) USING delta PARTITIONED BY (p)")
    for ((p, id) <- Seq("'x'", "NULL", "'empty'").zipWithIndex)
      sql(s"INSERT INTO t SELECT 10 * $id + id, id, $p FROM range(4)")
    log("t").withNewTransaction(None) { transaction =>
      val old = filesOf("t").filter(_.partitionValues.get("p").contains("empty"))
      val fresh = old.map(_.copy(partitionValues = Map("p" -> "")))
      transaction.commit(fresh, DeltaOperations.ManualUpdate)
    }
    body
  }

  private def texts: Seq[Row] = sql("SELECT id, nullif(p, '') FROM t").collect().toSeq

  test("an empty string is the partition of NULL, also where another partition is changed concurrently") {
    for ((changed, kept) <- Seq(1 -> 11, 11 -> 1, 21 -> 1)) withEmpty {
      val before = texts
      assert(before.size === 12)
      rewriting("t")(sql(s"DELETE FROM t WHERE id = $changed"))
      checkAnswer(sql("SELECT id, nullif(p, '') FROM t"), before.filter(_.getLong(0) != changed))
      assert(texts.exists(_.getLong(0) == kept))
    }
    withEmpty {
      val before = texts
      optimize("t", "id, a", files = 3)
      checkAnswer(sql("SELECT id, nullif(p, '') FROM t"), before)
    }
  }

  for (values <- Seq("-0.0D, 0.0D, 4, 5, 6, double('NaN')", "0.0D, -0.0D, 1, 2, 3, 4, 5, 6, 7"))
    test(s"zeros of either sign are two partitions: $values") {
      withTable("t") {
        sql("CREATE TABLE t (id BIGINT, d DOUBLE) USING delta PARTITIONED BY (d)")
        for (_ <- 1 to 2) sql(s"INSERT INTO t SELECT id, explode(array($values)) FROM range(40)")
        def files = sql("SELECT DISTINCT _metadata.file_path FROM t").collect().map(_.getString(0)).toSet
        def all = sql("SELECT id, string(d) FROM t")
        val (before, rows) = (files, all.collect().toSeq)
        sql("OPTIMIZE t ZORDER BY (id)")
        checkAnswer(all, rows)
        assert(files.size === values.split(",").length && files.intersect(before).isEmpty)
      }
    }
}
