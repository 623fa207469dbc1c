// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.{DeltaSession, LongSuite, LongTest}
import io.sparkzorder.command.SkippingChecks

import org.apache.spark.sql.{DataFrame, QueryTest, Row}

/** `EXPLAIN SKIPPING` on Delta tables, against the scans that ran. */
class DeltaScanSuite extends QueryTest with DeltaSession with SkippingChecks with LongSuite {

  /** Of a writer's own options Delta hands on but a few. */
  private def save(data: DataFrame, mode: String = "error", partitionBy: Seq[String] = Nil): Unit =
    withSQLConf(smallPages.toSeq: _*) {
      data.write.mode(mode).format("delta").partitionBy(partitionBy: _*).saveAsTable("t")
    }

  test("files by the log's statistics, pages by the files'") {
    withTable("t") {
      save(points(4))
      val row = requireAgreement("SELECT a FROM t WHERE a BETWEEN 1150 AND 1250", 1)
      assert(row.getString(0) === "t")
      assert(files(row) === Seq(4, 2) && groups(row) === Seq(groupsOf(4), 2) && pages(row) === Seq(48, 2))
      assert(bytes(row).head === bytesOf(spark.table("t"), "a"))
      assert(files(requireAgreement("SELECT a FROM t WHERE a > 99999", 1)) === Seq(4, 0))
      withSQLConf("spark.databricks.delta.stats.skipping" -> "false") {
        val all = requireAgreement("SELECT a FROM t WHERE a BETWEEN 1150 AND 1250", 1)
        assert(files(all) === Seq(4, 4) && pages(all) === Seq(48, 2))
      }
    }
  }

  test("a table by its path, an old version, a limit on files") {
    withTable("t") {
      save(points(2))
      sql("INSERT INTO t SELECT * FROM t WHERE a < 600")
      val path = log("t").dataPath.toUri.getPath
      val row = explainOne(s"SELECT a FROM delta.`$path` WHERE a > 1200")
      assert(row.getString(0) === s"delta.`$path`" && files(row)(1) === 1L)
      assert(files(row).head === snapshot("t").numOfFiles)
      val old = explainOne("SELECT a FROM t VERSION AS OF 0 WHERE a > 1200")
      assert(old.getString(0) === "t" && files(old) === Seq(2, 1) && old.getAs[Long]("rows_total") === 2400L)
      assert(files(explainOne("SELECT a FROM t LIMIT 1"))(1) === 1L)
      assert(ran("SELECT a FROM t LIMIT 1").map(_.metrics("numFiles").value) === Seq(1L))
    }
  }

  test("partitions leave out files as statistics do, and count them in the total") {
    withTable("t") {
      save(points(2).selectExpr("*", "a % 3 AS p"), partitionBy = Seq("p"))
      val row = explainOne("SELECT a FROM t WHERE p = 1 AND a < 100")
      assert(files(row) === Seq(6, 1) && row.getAs[Long]("rows_total") === 2400L)
      assert(ran("SELECT a FROM t WHERE p = 1 AND a < 100").map(_.metrics("numFiles").value) === Seq(1L))
    }
  }

  for (byIndex <- Seq("true", "false")) test(s"deletion vectors, useMetadataRowIndex = $byIndex", LongTest) {
    withTable("t") {
      withSQLConf("spark.databricks.delta.deletionVectors.useMetadataRowIndex" -> byIndex) {
        save(points(2))
        sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
        sql("DELETE FROM t WHERE a % 5 = 3")
        assert(filesOf("t").exists(_.deletionVector != null))
        val row = requireAgreement("SELECT a FROM t WHERE a BETWEEN 250 AND 449", 1)
        // Without the row index readers count the rows themselves, so Delta gives them no filter.
        assert(files(row) === Seq(2, 1) && pages(row) === Seq(24, if (byIndex.toBoolean) 3 else 12))
        assert(row.getAs[Long]("rows_total") === 2400L)
      }
    }
  }

  for (mode <- Seq("name", "id")) test(s"column mapping by $mode: renamed columns and fields") {
    withTable("t") {
      val columns = points(1).schema.toDDL
      sql(s"CREATE TABLE t ($columns) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = '$mode')")
      save(points(2), mode = "append")
      sql("ALTER TABLE t RENAME COLUMN a TO s2")
      sql("ALTER TABLE t RENAME COLUMN st.x TO z")
      val row = requireAgreement("SELECT s2 FROM t WHERE s2 BETWEEN 250 AND 449", 1)
      assert(files(row) === Seq(2, 1) && pages(row) === Seq(24, 3))
      assert(pages(requireAgreement("SELECT st.z FROM t WHERE st.z = 1250", 1)) === Seq(24, 1))
      assert(pages(requireAgreement("SELECT st FROM t WHERE s2 < 100 AND s = 'v-000050'", 4)) === Seq(96, 4))
    }
  }

  test("a table that Delta answers for from its log has no row") {
    withTable("t") {
      save(points(2))
      checkAnswer(sql("EXPLAIN SKIPPING SELECT count(*) FROM t"), Nil)
      val row = explainOne("SELECT count(*) FROM t WHERE a % 2 = 0")
      assert(pages(row) === Seq(24, 24))
      withSQLConf("spark.databricks.delta.optimizeMetadataQuery.enabled" -> "false") {
        checkAnswer(
          sql("EXPLAIN SKIPPING SELECT count(*) FROM t"),
          Row("t", 2L, 2L, groupsOf(2), groupsOf(2), 0L, 0L, 0L, 0L, 2400L, null))
      }
    }
  }

  test("joins of a Delta table and a Parquet table; changes of a table", LongTest) {
    withTable("t", "u") {
      save(points(2))
      small(points(1)).format("parquet").saveAsTable("u")
      val rows = explain("SELECT t.a FROM t JOIN u ON t.a = u.a AND t.s = u.s WHERE t.a < 100")
      assert(rows.map(r => r.getString(0) -> files(r)).toSet ===
        Set("t" -> Seq(2L, 1L), "u" -> Seq(1L, 1L)))
    }
    withTable("t") {
      withSQLConf("spark.databricks.delta.properties.defaults.enableChangeDataFeed" -> "true")(save(points(2)))
      val changes = explain("SELECT a FROM table_changes('t', 0)")
      assert(changes.forall(r => !r.isNullAt(10) || files(r) === Seq(2L, 2L)), changes)
    }
  }

  test("after OPTIMIZE ... ZORDER BY a point lookup reads few files and few pages") {
    withTable("t") {
      createTable("t", events(4000), files = 8)
      val query = "SELECT a FROM t WHERE a = 7"
      assert(files(explainOne(query)) === Seq(8, 8))
      optimize("t", "a, b", files = 8)
      val row = files(explainOne(query))
      assert(row.head >= 4L && row(1) * 2 <= row.head)
      assert(ran(query).map(_.metrics("numFiles").value) === Seq(row(1)))
    }
  }
}
