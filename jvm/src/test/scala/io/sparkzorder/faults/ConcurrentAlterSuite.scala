// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.io.File

import io.sparkzorder.LongSuite
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{QueryTest, Row}

/** Tables that are altered, replaced or dropped while they are z-ordered. */
class ConcurrentAlterSuite extends QueryTest with ConcurrentWritersSession with LongSuite {

  private val mapping = Map("delta.columnMapping.mode" -> "name")

  private def withEvents(properties: Map[String, String] = Map.empty)(body: => Unit): Unit =
    withTable("t") {
      createTable("t", events(600), properties = properties)
      body
    }

  private val otherColumns = Seq[(String, String, Map[String, String])](
    ("a column added", "ALTER TABLE t ADD COLUMN more INT", Map.empty),
    ("another column renamed", "ALTER TABLE t RENAME COLUMN c TO other", mapping),
    ("another column dropped", "ALTER TABLE t DROP COLUMN c", mapping)
  )

  for ((name, statement, properties) <- otherColumns)
    test(s"$name: retried on the table as it now is") {
      withEvents(properties)(requireSuccess(optimizingKeepsRows(beforeWriting)(sql(statement))))
    }

  private val schemaChanges = Seq[(String, String, String, Map[String, String])](
    ("a clustered column renamed", "ALTER TABLE t RENAME COLUMN a TO other", "RENAME COLUMN", mapping),
    ("a clustered column dropped", "ALTER TABLE t DROP COLUMN b", "DROP COLUMNS", mapping),
    (
      "a column widened",
      "ALTER TABLE t ALTER COLUMN a TYPE BIGINT",
      "CHANGE COLUMN",
      Map("delta.enableTypeWidening" -> "true"))
  )

  for ((name, statement, operation, properties) <- schemaChanges)
    test(s"$name: refused") {
      withEvents(properties) {
        requireRefused(optimizingKeepsRows(beforeWriting)(sql(statement)), operation)
        // And works on the table as it now is.
        val column = if (spark.table("t").columns.contains("a")) "a" else "id"
        keepingRows("t")(optimize("t", column, files = 4))
      }
    }

  private val properties = Seq(
    "a property" -> "'delta.logRetentionDuration' = 'interval 10 days'",
    "deletion vectors" -> "'delta.enableDeletionVectors' = 'true'",
    "the change data feed" -> "'delta.enableChangeDataFeed' = 'true'",
    "in-commit timestamps" -> "'delta.enableInCommitTimestamps' = 'true'",
    "v2 checkpoints" -> "'delta.checkpointPolicy' = 'v2'",
    "append-only" -> "'delta.appendOnly' = 'true'",
    "column mapping" -> "'delta.columnMapping.mode' = 'name'",
    "type widening" -> "'delta.enableTypeWidening' = 'true'",
    "statistics of other columns" -> "'delta.dataSkippingStatsColumns' = 'a,b'"
  )

  for ((name, property) <- properties)
    test(s"$name set: done") {
      withEvents() {
        requireSuccess(optimizingKeepsRows(beforeWriting)(sql(s"ALTER TABLE t SET TBLPROPERTIES ($property)")))
        keepingRows("t")(optimize("t", "a", files = 4))
      }
    }

  test("row tracking enabled: rows keep the ids that they were given") {
    withEvents() {
      def ids = spark.table("t").select("id", "_metadata.row_id", "_metadata.row_commit_version")
      var before = Seq.empty[Row]
      val outcome = optimizingKeepsRows(beforeWriting) {
        sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
        before = ids.collect().toSeq
      }
      requireSuccess(outcome)
      checkAnswer(ids, before)
    }
  }

  test("a CHECK constraint added") {
    withEvents() {
      requireSuccess(optimizingKeepsRows(beforeWriting)(sql("ALTER TABLE t ADD CONSTRAINT small CHECK (a < 10000)")))
    }
  }

  test("statistics taken from the columns: refused like any such table") {
    withEvents() {
      val outcome = optimizingKeepsRows(beforeWriting) {
        sql("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id')")
      }
      val e = outcome.failed.get.asInstanceOf[ZOrderAnalysisException]
      assert(e.getCondition === "ZORDER_COLUMN_WITHOUT_STATISTICS" && lastOperation === "SET TBLPROPERTIES")
    }
  }

  test("the table made a liquid-clustered one: refused like any such table") {
    withEvents() {
      val outcome = optimizingKeepsRows(beforeWriting)(sql("ALTER TABLE t CLUSTER BY (c)"))
      val e = outcome.failed.get.asInstanceOf[ZOrderAnalysisException]
      assert(e.getCondition === "ZORDER_LIQUID_CLUSTERED_TABLE" && lastOperation === "CLUSTER BY")
    }
  }

  for ((point, pause) <- Seq("reading" -> (() => beforeReading), "writing" -> (() => beforeWriting))) {

    test(s"the table dropped before $point: an error, and no table comes back") {
      withEvents() {
        val folder = log("t").dataPath
        val outcome = optimizing(pause())(sql("DROP TABLE t"))
        assert(outcome.isFailure)
        assert(!spark.catalog.tableExists("t"))
        intercept[Exception](spark.read.format("delta").load(folder.toString).collect())
        // Files being written when the folder was deleted are in it again, as with every writer.
        JavaUtils.deleteRecursively(new File(folder.toUri))
      }
    }

    // While files are written no table can be made in their folder: CREATE TABLE asks for an empty one.
    for (more <- Seq(0, 1, 3) if point == "reading")
      test(s"the table dropped before $point and recreated, with ${more + 1} versions: the new one is left alone") {
        withEvents() {
          val outcome = optimizingKeepsRows(pause()) {
            sql("DROP TABLE t")
            createTable("t", events(200).selectExpr("id + 5000 AS id", "a", "b", "c", "day"), files = 2)
            (1 to more).foreach(i => sql(s"INSERT INTO t VALUES ($i, 1, 1.0, 'x', DATE'2024-01-01')"))
          }
          assert(outcome.isFailure)
          assert(version("t") === more)
          keepingRows("t")(optimize("t", "a, b", files = 4))
        }
      }

    test(s"the table replaced before $point: the new one is left alone") {
      withEvents() {
        val outcome = optimizingKeepsRows(pause()) {
          sql("CREATE OR REPLACE TABLE t USING delta AS SELECT id + 1 AS id, c FROM range(5), (SELECT 'x' AS c)")
        }
        assert(outcome.isFailure)
        assert(lastOperation === "CREATE OR REPLACE TABLE AS SELECT")
      }
    }
  }
}
