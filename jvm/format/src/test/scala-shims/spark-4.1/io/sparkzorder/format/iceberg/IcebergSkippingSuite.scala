// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.functions.col

/** `EXPLAIN SKIPPING` of queries over Iceberg tables: the files that Iceberg's planning leaves, of all. */
class IcebergSkippingSuite extends QueryTest with IcebergSession {

  private def explained(query: String): Seq[Row] = sql(s"EXPLAIN SKIPPING $query").collect().toSeq

  private def one(query: String): Row = {
    val found = explained(query)
    assert(found.size === 1, found)
    found.head
  }

  private def number(row: Row, column: String): Long = row.getAs[Long](column)

  /** The files out of which rows come when the query runs, and there are some in each file that it reads. */
  private def filesOf(query: String): Long = sql(query).select(col("_file")).distinct().count()

  /** As many as Iceberg reports once a scan is planned. */
  private def tasksOf(condition: String): Long =
    sql(s"SELECT * FROM $t WHERE $condition").queryExecution.sparkPlan.collectFirst { case scan: BatchScanExec =>
      scan.scan.toBatch.planInputPartitions()
      scan.scan.reportDriverMetrics().find(_.name == "resultDataFiles").get.value
    }.get

  test("files and bytes of the columns that are read, by partitions and bounds") {
    withIceberg {
      create(
        samples(4000),
        partitionedBy = "days(at)",
        properties = "'write.distribution-mode' = 'hash', 'write.delete.mode' = 'merge-on-read'")
      cluster("a, b", 24)
      val whole = one(s"SELECT * FROM $t")
      assert(number(whole, "files_total") === files.size && number(whole, "files_read") === files.size)
      assert(number(whole, "rows_total") === 4000)
      assert(number(whole, "bytes_read") === number(whole, "bytes_total"))
      assert(whole.getAs[String]("table") === t && whole.isNullAt(whole.fieldIndex("row_groups_read")))
      val a = one(s"SELECT a FROM $t WHERE a = 7")
      val read = tasksOf("a = 7")
      assert(number(a, "files_read") === read && read < files.size && read > 0)
      val id = table.schema.findField("a").fieldId
      assert(number(a, "bytes_total") === files.map(_.columnSizes.get(id).toLong).sum)
      assert(number(a, "bytes_read") < number(a, "bytes_total"))
      val day = "at >= TIMESTAMP'2024-01-02 00:00:00Z' AND at < TIMESTAMP'2024-01-03 00:00:00Z'"
      assert(number(one(s"SELECT * FROM $t WHERE $day"), "files_read") === tasksOf(day))
      assert(number(
        one(s"SELECT * FROM $t WHERE $day"),
        "files_read") === filesOf(s"SELECT *, _file FROM $t WHERE $day"))
      assert(number(one(s"SELECT * FROM $t WHERE a = 100000"), "files_read") === 0)
      assert(number(
        one(s"SELECT count(*) FROM $t WHERE a < 10 OR b > 999"),
        "files_read") === tasksOf("a < 10 OR b > 999"))
    }
  }

  test("versions, branches, metrics modes, and scans of which nothing is known") {
    withIceberg {
      create(samples(500), properties = "'write.metadata.metrics.column.c' = 'none'")
      val first = current.snapshotId
      append(samples(500, 500))
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      sql(s"INSERT INTO $t.branch_other SELECT id + 5000, a, b, c, at FROM $t")
      assert(number(one(s"SELECT * FROM $t VERSION AS OF $first"), "rows_total") === 500)
      assert(number(one(s"SELECT * FROM $t.branch_other"), "rows_total") === 2000)
      val twice = explained(s"SELECT * FROM $t x JOIN $t.branch_other y ON x.id = y.id WHERE x.a = 3")
      assert(twice.map(number(_, "rows_total")).toSet === Set(1000, 2000))
      // Without sizes of a column those of the files.
      assert(number(one(s"SELECT c FROM $t"), "bytes_total") === files.map(_.fileSizeInBytes).sum)
      assert(number(one(s"SELECT a FROM $t"), "bytes_total") < files.map(_.fileSizeInBytes).sum)
      val added = s"SELECT * FROM $t WITH (`start-snapshot-id` = '$first', `end-snapshot-id` = '${current.snapshotId}')"
      assert(sql(added).count() === 500)
      for (unknown <- Seq(s"SELECT * FROM $t.files", added)) {
        val row = one(unknown)
        assert(row.isNullAt(1) && row.getAs[String]("note").contains("cannot tell"))
      }
    }
  }

  test("a table without rows, and one without a snapshot") {
    sql(s"CREATE TABLE $t (a INT, b INT) USING iceberg")
    withIceberg {
      assert(explained(s"SELECT * FROM $t WHERE a = 1").forall(r => r.isNullAt(1) || r.getLong(1) == 0))
      sql(s"INSERT INTO $t SELECT 1, 1")
      sql(s"DELETE FROM $t")
      assert(number(one(s"SELECT * FROM $t WHERE a = 1"), "files_total") === 0)
    }
  }
}
