// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import io.sparkzorder.{CurveOrder, DeltaSession, LongSuite}
import io.sparkzorder.command.WriterPlan
import io.sparkzorder.errors.ZOrderAnalysisException
import io.sparkzorder.write.WrittenOrder

import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.delta.{DeltaLog, DeltaOperations}
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.streaming.Trigger

/** Every way to write rows to a Delta table; each new file is read back. */
class OrderDeltaWritesSuite extends QueryTest with LongSuite with DeltaSession with WrittenOrder {

  private val zorder = "'sort.columns' = 'a,b', 'sort.order' = 'ZORDER'"

  private def create(table: String, more: String = "", properties: String = zorder): Unit =
    sql(s"CREATE TABLE $table (id BIGINT, a INT, b DOUBLE, c STRING, day DATE) USING delta $more " +
      s"TBLPROPERTIES ($properties)")

  /** Runs a write, and checks the files that it added. */
  private def ordered(table: String, columns: Seq[String] = Seq("a", "b"))(write: => Unit): Unit = {
    val before = files(table)
    write
    val added = files(table).diff(before)
    assert(added.nonEmpty)
    added.foreach(assertZOrdered(_, columns))
  }

  private def files(table: String): Seq[String] =
    if (spark.catalog.tableExists(table)) spark.table(table).inputFiles.toSeq else Nil

  test("INSERT, by SQL, insertInto, append, save and dynamic overwrite") {
    withTable("t") {
      create("t")
      events(3000).createOrReplaceTempView("source")
      ordered("t")(sql("INSERT INTO t SELECT * FROM source"))
      ordered("t")(events(500).write.insertInto("t"))
      ordered("t")(events(600).writeTo("t").append())
      ordered("t")(events(700).write.format("delta").mode("append").saveAsTable("t"))
      checkAnswer(spark.table("t"), Seq(3000, 500, 600, 700).map(events).reduce(_ union _).collect().toSeq)
      ordered("t")(sql("INSERT OVERWRITE t SELECT * FROM source ORDER BY id"))
      ordered("t")(sql("INSERT INTO t REPLACE WHERE id < 100 SELECT * FROM source WHERE id < 100"))
      checkAnswer(spark.table("t"), events(3000).collect().toSeq)
      val path = spark.sql("DESCRIBE DETAIL t").select("location").head().getString(0)
      ordered("t")(events(400).write.format("delta").mode("append").save(path))
      checkAnswer(spark.table("t"), events(3000).union(events(400)).collect().toSeq)
    }
  }

  test("CTAS, CREATE OR REPLACE and partitions") {
    withTable("t", "u") {
      events(3000).createOrReplaceTempView("source")
      ordered("t") {
        sql(s"CREATE TABLE t USING delta PARTITIONED BY (day) TBLPROPERTIES ($zorder) AS SELECT * FROM source")
      }
      ordered("t")(sql("INSERT INTO t SELECT * FROM source DISTRIBUTE BY id % 2"))
      withSQLConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        ordered("t")(sql("INSERT OVERWRITE t SELECT * FROM source WHERE day = '2024-01-02'"))
      }
      val kept = events(3000).where("day <> '2024-01-02'")
      checkAnswer(spark.table("t"), events(3000).union(kept).collect().toSeq)
      ordered("u") {
        sql(s"CREATE OR REPLACE TABLE u USING delta TBLPROPERTIES ($zorder) AS SELECT * FROM source")
      }
    }
  }

  test("overwrites of partitions, static and dynamic") {
    withTable("t") {
      create("t", "PARTITIONED BY (day)")
      val rows = events(3000)
      rows.createOrReplaceTempView("source")
      ordered("t")(sql("INSERT INTO t SELECT * FROM source"))
      ordered("t") {
        sql("INSERT OVERWRITE t PARTITION (day = '2024-01-02') " +
          "SELECT id, a + 1, b, c FROM source WHERE day = '2024-01-02' ORDER BY id")
      }
      val second = rows.where("day = '2024-01-02'").withColumn("a", col("a") + 1)
      checkAnswer(spark.table("t"), rows.where("day <> '2024-01-02'").union(second).collect().toSeq)
      ordered("t")(rows.where("day <> '2024-01-01'").sort("id").writeTo("t").overwritePartitions())
      checkAnswer(spark.table("t"), rows.collect().toSeq)
      withSQLConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
        // The optimizer gives the columns of this query other ids.
        ordered("t") {
          sql("INSERT OVERWRITE t SELECT id, a AS a, b AS b, c, day FROM (SELECT * FROM source WHERE id % 2 = 0) ORDER BY id")
        }
      }
      checkAnswer(spark.table("t"), rows.where("id % 2 = 0").collect().toSeq)
    }
  }

  for (change <- Seq(false, true))
    test(s"MERGE, UPDATE and DELETE, with change data feed $change") {
      withTable("t") {
        create(
          "t",
          "PARTITIONED BY (c)",
          s"$zorder, 'delta.enableChangeDataFeed' = '$change', 'delta.enableDeletionVectors' = 'false'")
        val rows = events(3000).withColumn("c", (col("id") % 2).cast("string"))
        ordered("t")(rows.write.insertInto("t"))
        ordered("t")(sql("UPDATE t SET a = a + 1 WHERE id % 5 = 0"))
        ordered("t")(sql("DELETE FROM t WHERE id % 7 = 0"))
        rows.withColumn("a", col("a") + 7).where("id % 3 = 0").createOrReplaceTempView("changes")
        ordered("t") {
          sql(
            "MERGE INTO t USING changes s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
        }
        val updated = rows.where("id % 7 <> 0 AND id % 3 <> 0").withColumn(
          "a",
          col("a") + (col("id") % 5 === 0).cast("int"))
        val merged = rows.where("id % 3 = 0").withColumn("a", col("a") + 7)
        checkAnswer(spark.table("t"), updated.union(merged).collect().toSeq)
      }
    }

  test("column mapping, generated columns, constraints and a string partition") {
    withTable("t") {
      sql(
        "CREATE TABLE t (id BIGINT NOT NULL, a INT, b DOUBLE GENERATED ALWAYS AS (CAST(a % 7 AS DOUBLE)), c STRING) " +
          s"USING delta PARTITIONED BY (c) TBLPROPERTIES ($zorder, 'delta.columnMapping.mode' = 'name')")
      val rows = events(2000).selectExpr("id", "a", "nullif(concat('part ', id % 3), 'part 1') AS c")
      // The names in the files are not the table's.
      rows.write.format("delta").mode("append").saveAsTable("t")
      val renamed = spark.table("t").inputFiles.toSeq
      assert(renamed.size >= 3)
      renamed.foreach { f =>
        val stored = spark.read.parquet(f).columns
        assertZOrdered(f, Seq(stored(1), stored(2)))
      }
      checkAnswer(spark.table("t").select("id", "a", "c"), rows.collect().toSeq)
    }
  }

  test("a stream orders each batch, also after a restart; foreachBatch does") {
    withTable("t", "in") {
      withTempDir { checkpoint =>
        create("t", "PARTITIONED BY (day)")
        sql("CREATE TABLE in (id BIGINT, a INT, b DOUBLE, c STRING, day DATE) USING delta")
        for (batch <- 0 until 4) {
          val rows = events(1000).withColumn("id", col("id") + lit(1000 * batch))
          rows.write.format("delta").mode("append").saveAsTable("in")
          ordered("t") {
            spark.readStream.table("in").writeStream.format("delta").option("checkpointLocation", checkpoint.toString)
              .trigger(Trigger.AvailableNow()).toTable("t").awaitTermination()
          }
        }
        checkAnswer(spark.table("t"), spark.table("in").collect().toSeq)
      }
      withTempDir { checkpoint =>
        ordered("t") {
          spark.readStream.table("in").writeStream.option("checkpointLocation", checkpoint.toString)
            .foreachBatch((rows: DataFrame, _: Long) => rows.write.insertInto("t"))
            .trigger(Trigger.AvailableNow()).start().awaitTermination()
        }
      }
    }
  }

  test("files of a global order divide the curve, and every row is there") {
    withTable("t") {
      create("t", properties = s"$zorder, 'sort.scope' = 'global'")
      withSQLConf("spark.sql.zorder.targetFileSize" -> "6k")(events(6000).write.insertInto("t"))
      assert(files("t").size > 8)
      assert(CurveOrder.fault(CurveOrder.of(spark, files("t"), Seq(col("a"), col("b")))) === None)
      checkAnswer(spark.table("t"), events(6000).collect().toSeq)
      val share = sql("DESCRIBE LAYOUT t ON (a, b)").select("point_read_share").collect().map(_.getDouble(0))
      assert(share.forall(_ < 0.5), share.mkString(", "))
    }
  }

  test("EXPLAIN shows the order of INSERT and of CREATE TABLE AS SELECT") {
    withTable("t") {
      create("t", "PARTITIONED BY (day)")
      events(100).createOrReplaceTempView("source")
      for {
        statement <- Seq("INSERT INTO t SELECT * FROM source", "INSERT OVERWRITE t SELECT * FROM source")
        mode <- Seq("static", "dynamic")
      } withSQLConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
        val text = sql(s"EXPLAIN $statement").head().getString(0)
        assert(text.contains("SORT BY ZORDER (a, b) of spark_catalog.default.t, local, ranks"), text)
      }
      for (create <- Seq("CREATE TABLE u", "CREATE OR REPLACE TABLE u")) {
        val text = sql(s"EXPLAIN $create USING delta SORT BY ZORDER (a, b) AS SELECT * FROM source").head().getString(0)
        assert(text.contains("SORT BY ZORDER (a, b) of spark_catalog.default.u, local, ranks"), text)
      }
    }
  }

  test("a write sorts once, whatever order its query has") {
    withTable("t") {
      create("t", "PARTITIONED BY (c)")
      events(1000).withColumn("c", col("id").cast("string").substr(1, 1)).createOrReplaceTempView("source")
      sql("INSERT INTO t SELECT id, a AS a, b, c, day FROM source ORDER BY id")
      val sorts = WriterPlan.last.collect { case s: SortExec => s }
      assert(sorts.size === 1, WriterPlan.last)
    }
  }

  test("counters of MERGE and UPDATE are right where the order is global; rows may lack a column of the order") {
    withTable("t") {
      create("t", properties = s"$zorder, 'sort.scope' = 'global', 'delta.enableDeletionVectors' = 'false'")
      ordered("t")(events(1000).write.insertInto("t"))
      def metric(name: String): String =
        sql("DESCRIBE HISTORY t LIMIT 1").select(s"operationMetrics.$name").head().getString(0)
      sql("UPDATE t SET a = a + 1 WHERE id < 100")
      assert(metric("numUpdatedRows") === "100")
      events(1500).createOrReplaceTempView("source")
      sql("MERGE INTO t USING source s ON t.id = s.id WHEN MATCHED AND s.id < 50 THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
      assert(metric("numTargetRowsUpdated") === "50" && metric("numTargetRowsInserted") === "500")
      events(10).select("id", "a").write.format("delta").mode("append").saveAsTable("t")
      assert(spark.table("t").where("b IS NULL AND c IS NULL").count() === 10)
    }
  }

  test("Delta's optimized writes are refused; a lexical order") {
    withTable("t", "u") {
      create("t")
      // As another program would, which knows nothing of the order.
      log("t").withNewTransaction(None) { transaction =>
        val metadata = transaction.metadata
        val configuration = metadata.configuration + ("delta.autoOptimize.optimizeWrite" -> "true")
        transaction.commit(Seq(metadata.copy(configuration = configuration)), DeltaOperations.ManualUpdate)
      }
      def refused(body: => Unit): Unit =
        assert(intercept[ZOrderAnalysisException](body).getCondition === "ZORDER_SORT_AND_OPTIMIZED_WRITES")
      refused(events(10).write.insertInto("t"))
      withSQLConf(
        "spark.databricks.delta.optimizeWrite.enabled" -> "false")(ordered("t")(events(10).write.insertInto("t")))
      create("u", properties = "'sort.columns' = 'c,b'")
      withSQLConf("spark.databricks.delta.optimizeWrite.enabled" -> "true")(refused(events(10).write.insertInto("u")))
      events(1000).write.insertInto("u")
      files("u").foreach(f => assertSorted(rowsOf(f, Seq("c", "b"))))
      checkAnswer(spark.table("u"), events(1000).collect().toSeq)
    }
  }

  test("rows of a Delta table, whose state Delta computes while it plans the write") {
    withTable("s", "t") {
      sql("CREATE TABLE s (add INT, remove INT) USING delta")
      sql("INSERT INTO s SELECT cast(hash(id) % 50 as int), cast(hash(id, 1) % 50 as int) FROM range(1000)")
      // Names of columns in Delta's log.
      sql("CREATE TABLE t (add INT, remove INT) USING delta SORT BY ZORDER (add, remove)")
      DeltaLog.clearCache()
      ordered("t", Seq("add", "remove"))(sql("INSERT INTO t SELECT s.* FROM s WHERE add > -50"))
      checkAnswer(spark.table("t"), spark.table("s").collect().toSeq)
    }
  }
}
