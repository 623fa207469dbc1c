// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import io.sparkzorder.JobLog
import io.sparkzorder.format.iceberg.scan.PrunedQueries
import io.sparkzorder.skipping.scan.IndexedScanExec

import org.apache.spark.sql.{QueryTest, Row}
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.util.QueryExecutionListener

/** Joins leave out files of Iceberg tables by their keys, when they run: the same rows from fewer files. */
class IcebergJoinSkippingSuite extends QueryTest with PrunedQueries with JobLog {

  private def prunedOf(plan: SparkPlan): Long = prunedBy(IndexedScanExec.FilesPrunedByKeys, plan)

  /** The plans that ran for a statement. */
  private def plansOf(statement: => Unit): Seq[SparkPlan] = {
    val found = new ConcurrentLinkedQueue[SparkPlan]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, execution: QueryExecution, nanos: Long): Unit =
        found.add(execution.executedPlan): Unit
      override def onFailure(name: String, execution: QueryExecution, error: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    // Returns when all events have been heard.
    try jobsOf(statement): Unit
    finally spark.listenerManager.unregister(listener)
    found.asScala.toSeq
  }

  /** Runs `body` with a table in 24 files by (a, c), and a small one with some of its keys. */
  private def withTables(
      version: Int = 2,
      partitionedBy: String = "",
      properties: String = "",
      by: String = "a, c")(body: => Unit): Unit =
    withIceberg {
      create(samples(4000), version, partitionedBy, properties)
      cluster(by, 24)
      withTempView("d") {
        spark.range(60).selectExpr("cast(id * 17 as int) AS k", "concat('user-', id) AS u", "id AS v", "id AS big")
          .createOrReplaceTempView("d")
        body
      }
    }

  private val joins = Seq(
    "inner" -> s"SELECT t.*, v FROM $t t JOIN d ON t.a = d.k WHERE v < 3",
    "text" -> s"SELECT t.*, v FROM $t t JOIN d ON t.c = d.u WHERE v = 7",
    "two keys" -> s"SELECT t.id FROM $t t JOIN d ON t.a = d.k AND t.c = d.u WHERE v < 9",
    "the small side first" -> s"SELECT t.id FROM d JOIN $t t ON t.a = d.k WHERE v < 3",
    "semi" -> s"SELECT * FROM $t t LEFT SEMI JOIN d ON t.a = d.k AND d.v = 5",
    "IN" -> s"SELECT * FROM $t WHERE a IN (SELECT k FROM d WHERE v < 3)",
    "EXISTS" -> s"SELECT * FROM $t t WHERE EXISTS (SELECT 1 FROM d WHERE d.k = t.a AND v < 3)",
    "below an aggregate" -> s"SELECT count(*), sum(t.b) FROM $t t JOIN d ON t.a = d.k WHERE v < 3",
    "star" -> s"SELECT t.id FROM $t t JOIN d x ON t.a = x.k JOIN d y ON t.c = y.u WHERE x.v < 9 AND y.v < 4",
    "a filter of the table's own" -> s"SELECT t.id FROM $t t JOIN d ON t.a = d.k WHERE v < 3 AND t.c < 'user-3'",
    "another letters' case" -> s"SELECT T.ID FROM $t T JOIN d ON T.A = d.K WHERE v < 3",
    "a union" -> s"SELECT u.id FROM (SELECT id, a FROM $t UNION ALL SELECT id, a FROM $t) u JOIN d ON u.a = d.k WHERE v = 2",
    "a self-join" -> s"SELECT x.id FROM $t x JOIN d ON x.a = d.k JOIN $t y ON x.id = y.id WHERE v = 2"
  )

  for ((name, query) <- joins) test(s"files are left out by the keys of a join: $name") {
    withTables()(assert(checked(query) > 0))
  }

  test("a side whose rows come out without a match is read whole") {
    withTables() {
      Seq(
        s"SELECT t.id, v FROM $t t LEFT JOIN (SELECT * FROM d WHERE v < 3) d ON t.a = d.k",
        s"SELECT t.id FROM $t t LEFT ANTI JOIN (SELECT * FROM d WHERE v < 3) d ON t.a = d.k",
        s"SELECT t.id FROM $t t WHERE a NOT IN (SELECT k FROM d WHERE v < 3)",
        s"SELECT t.id, EXISTS (SELECT 1 FROM d WHERE k = t.a AND v < 3) AS e FROM $t t",
        s"SELECT t.id FROM (SELECT * FROM $t ORDER BY id LIMIT 50) t JOIN d ON t.a = d.k WHERE v < 3"
      ).foreach(query => assert(checked(query) === 0, query))
    }
  }

  test("keys of NULL and keys beyond all rows leave out every file") {
    withTables() {
      spark.range(4).selectExpr("if(id = 0, NULL, cast(id AS INT) + 100000) AS k").createOrReplaceTempView("d")
      assert(checked(s"SELECT * FROM $t t JOIN d ON t.a = d.k") === files.size)
    }
  }

  test("partitions go by Iceberg's own filter, files by keys") {
    withTables(partitionedBy = "c", by = "a, id") {
      assert(checked(s"SELECT t.id FROM $t t JOIN d ON t.c = d.u AND t.a = d.k WHERE v = 7") >= 0)
      assert(checked(s"SELECT t.id FROM $t t JOIN d ON t.a = d.k WHERE v = 1") > 0)
    }
  }

  test("joins that Spark makes by partitions read them whole") {
    withSQLConf(
      "spark.sql.iceberg.planning.preserve-data-grouping" -> "true",
      "spark.sql.sources.v2.bucketing.enabled" -> "true") {
      withTables(partitionedBy = "bucket(4, id)") {
        checked(s"SELECT x.id FROM $t x JOIN $t y ON x.id = y.id JOIN d ON x.a = d.k WHERE v < 3")
      }
    }
  }

  test("deleted rows, columns under other names, versions and branches") {
    withTables(
      version = 2,
      properties = "'write.delete.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read'") {
      val before = current.snapshotId
      sql(s"DELETE FROM $t WHERE id % 7 = 0")
      sql(s"ALTER TABLE $t CREATE BRANCH other")
      sql(s"INSERT INTO $t.branch_other SELECT id + 9000, a, b, c, at FROM $t")
      val version = s"(SELECT * FROM $t VERSION AS OF $before)"
      Seq(t, s"$t.branch_other", version).foreach { of =>
        assert(checked(s"SELECT t.* FROM $of t JOIN d ON t.a = d.k WHERE v < 3") > 0, of)
      }
      sql(s"ALTER TABLE $t RENAME COLUMN a TO key")
      sql(s"ALTER TABLE $t ADD COLUMN a INT")
      sql(s"INSERT INTO $t SELECT id + 20000, key, b, c, at, key FROM $t WHERE id < 100")
      assert(checked(s"SELECT t.* FROM $t t JOIN d ON t.key = d.k WHERE v < 3") > 0)
      // Files from before have no such column, of which nothing is known.
      checked(s"SELECT t.* FROM $t t JOIN d ON t.a = d.k WHERE v < 3")
      checked(s"SELECT t.* FROM $version t JOIN d ON t.a = d.k WHERE v < 3")
    }
  }

  private val matches = "(SELECT * FROM d WHERE v < 3) d ON t.a = d.k WHEN MATCHED THEN"
  private val upsert =
    "(SELECT * FROM d WHERE v < 30) d ON t.a = d.k AND t.c = d.u WHEN MATCHED THEN UPDATE SET b = 2 " +
      "WHEN NOT MATCHED THEN INSERT (id, a) VALUES (-1, d.k)"

  private val changes = Seq(
    s"DELETE FROM $t WHERE a IN (SELECT k FROM d WHERE v < 3)" -> true,
    s"UPDATE $t SET b = 1 WHERE a IN (SELECT k FROM d WHERE v < 3)" -> true,
    s"MERGE INTO $t t USING $matches DELETE" -> true,
    s"MERGE INTO $t t USING $matches UPDATE SET b = 2 WHEN NOT MATCHED BY SOURCE AND t.a > 900 THEN DELETE" -> false,
    s"MERGE INTO $t t USING $upsert" -> true
  )

  for (mode <- Seq("copy-on-write", "merge-on-read"))
    test(s"statements that change rows by a join search fewer files, and change the same rows: $mode") {
      val modes = Seq("delete", "update", "merge").map(s => s"'write.$s.mode' = '$mode'").mkString(", ")
      def changed(change: String, isDynamic: Boolean): (Map[Row, Int], Long) = {
        var (found, pruned) = (Map.empty[Row, Int], 0L)
        withTables(properties = modes) {
          withSQLConf(dynamic -> isDynamic.toString) {
            pruned = plansOf(sql(change)).map(prunedOf).sum
          }
          found = rows(sql(s"SELECT * FROM $t"))
        }
        (found, pruned)
      }
      for ((change, skips) <- changes) {
        val (found, pruned) = changed(change, isDynamic = true)
        assert(found === changed(change, isDynamic = false)._1, change)
        // Deltas of rows without a match come of a join that shuffles both sides.
        assert((pruned > 0) === (skips && (mode == "copy-on-write" || !change.contains("INSERT"))), change)
      }
    }

  /** One of which Spark makes no literal. */
  private def oneKey(of: String): Unit = spark.range(1).selectExpr(s"$of AS k").createOrReplaceTempView("d")

  test("text that is no UTF-8 is found, read and changed") {
    withIceberg {
      val texts =
        Seq("FF", "80", "61616161616161616161616161616161FE", "616161616161616161616161616161FE61", "41", "EFBFBD")
      create(spark.range(1).selectExpr("id", "CAST(X'F1' AS STRING) AS c"))
      for (text <- texts) sql(s"INSERT INTO $t SELECT 1, CAST(X'$text' AS STRING)")
      for (text <- texts :+ "F1") {
        oneKey(s"CAST(unhex(if(id = 0, '$text', '')) AS STRING)")
        checked(s"SELECT t.id, hex(t.c) FROM $t t JOIN d ON t.c = d.k")
        sql(s"MERGE INTO $t t USING d ON t.c = d.k WHEN MATCHED THEN UPDATE SET id = 7")
        checkAnswer(sql(s"SELECT id FROM $t WHERE hex(c) = '$text'"), Row(7L))
      }
      oneKey("char(id + 65)")
      assert(checked(s"SELECT t.id FROM $t t JOIN d ON t.c = d.k") === 1)
    }
  }

  test("an added file that holds its partition's column has the partition's value") {
    withIceberg {
      create(spark.range(3).selectExpr("id", "cast(id AS INT) AS p"), partitionedBy = "p")
      withTempPath { folder =>
        spark.range(1, 9, 1, 1).selectExpr("id", "99 AS p").write.parquet(s"$folder/p=7")
        sql(s"CALL ${t.split('.').head}.system.add_files(" +
          s"table => '${t.split('.').tail.mkString(".")}', source_table => '`parquet`.`$folder`')")
        for (key <- Seq(7, 99, 1)) {
          oneKey(s"cast(id AS INT) + $key")
          val pruned = checked(s"SELECT /*+ BROADCAST(d) */ t.* FROM $t t JOIN d ON t.p = d.k")
          assert(pruned === (if (key == 99) 4 else 3), key)
        }
      }
    }
  }

  test("a plan names the join by which files will be left out") {
    withTables() {
      val plan = sql(s"SELECT t.* FROM $t t JOIN d ON t.a = d.k WHERE v < 3").queryExecution.executedPlan.toString
      assert(plan.contains("IN (keys of join by d.k)"), plan)
      val note = sql(s"EXPLAIN SKIPPING SELECT t.* FROM $t t JOIN d ON t.a = d.k WHERE v < 3").collect().head
      assert(note.getAs[String]("note").contains("a IN (keys of join by d.k)"), note)
    }
  }

  test("keys of every type, and many keys") {
    val types =
      Seq("INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(20,2)", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "STRING", "BINARY")
    def of(id: String, dataType: String) = dataType match {
      case "DATE" => s"date_add(DATE'1900-01-01', cast($id AS INT))"
      case "TIMESTAMP" | "TIMESTAMP_NTZ" => s"cast(timestamp_micros($id * 1000000000 - 999) AS $dataType)"
      case "STRING" => s"concat(lpad($id, 6, '0'), ', of which bounds have less')"
      case "BINARY" => s"cast(concat(lpad($id, 6, '0'), ', of which bounds have less') AS BINARY)"
      case other => s"cast($id - 700 AS $other)"
    }
    val columns = types.zipWithIndex.map { case (dataType, i) => s"if(id % 9 = 0, NULL, ${of("id", dataType)}) AS c$i" }
    withIceberg {
      create(spark.range(0, 2000, 1, 10).selectExpr("id" +: columns: _*))
      for ((dataType, i) <- types.zipWithIndex; few <- Seq(3, 1500)) {
        spark.range(few).selectExpr(s"${of("id * 11", dataType)} AS k").createOrReplaceTempView("d")
        val pruned = checked(s"SELECT t.* FROM $t t JOIN d ON t.c$i = d.k")
        assert(pruned > 0 || few > 3, dataType)
      }
    }
  }

  private val functions = Seq(
    "cast(t.a AS BIGINT) = d.v * 17",
    "t.a + 1 = d.k",
    "2 * t.a - 5 = d.k",
    "-t.a = -d.k",
    "coalesce(t.b, -1) = d.v",
    "coalesce(t.a, 0) = d.k",
    "t.a <=> d.k",
    "date(t.at) = date_add(DATE'2024-01-03', cast(d.v AS INT))",
    "date_trunc('DAY', t.at) = date_add(DATE'2024-01-03', cast(d.v AS INT))",
    "year(t.at) = 2031 + d.v AND month(t.at) = d.v",
    "substr(t.c, 1, 6) = substr(d.u, 1, 6)",
    "t.a % 7 = d.k"
  )

  for (condition <- functions) test(s"keys that are functions of a column leave out files: $condition") {
    withTables(by = "a, at, c, b") {
      val pruned = checked(s"SELECT t.id, v FROM $t t JOIN (SELECT * FROM d WHERE v < 2) d ON $condition")
      // Of a remainder there are no bounds.
      assert((pruned > 0) === !condition.contains("%"), condition)
      checked(s"SELECT t.id FROM $t t WHERE EXISTS (SELECT 1 FROM d WHERE v < 9 AND $condition)")
      assert(checked(s"SELECT t.id, v FROM $t t LEFT JOIN (SELECT * FROM d WHERE v < 2) d ON $condition") === 0)
    }
  }

  test("rows without a value are found by a function that makes one") {
    withIceberg {
      create(spark.range(0, 900, 1, 9).selectExpr("id", "if(id < 300, NULL, cast(id AS INT)) AS k"))
      oneKey("cast(id AS INT) + 7")
      // Iceberg itself leaves out those without a value.
      assert(checked(s"SELECT t.id FROM $t t JOIN d ON t.k + 1 = d.k") === 6)
      assert(checked(s"SELECT t.id FROM $t t JOIN d ON coalesce(t.k, 7) = d.k") === 6)
    }
  }
}
