// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.{DeltaSession, LongTest}
import io.sparkzorder.command.WriterPlan

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.delta.DeltaLog

/** The physical side of a rewrite: one shuffle, one sort, nothing after it; and none of it when only explained. */
class ClusterRowsSuite extends QueryTest with DeltaSession {

  override protected def generatedCode: Boolean = true

  private def requireOneShuffleAndSort(tasks: Int): Unit = assert(WriterPlan.shuffleTasks === tasks, WriterPlan.last)

  for (adaptive <- Seq(true, false); partitionBy <- Seq(Nil, Seq("day"), Seq("day", "c")))
    test(
      s"one shuffle and one sort, partitioned by (${partitionBy.mkString(", ")}), adaptive execution $adaptive",
      Option.when(!adaptive || partitionBy != Nil)(LongTest).toSeq: _*
    ) {
      withTable("t") {
        createTable("t", events(3000).where("c < 'user-12'"), files = 2, partitionBy)
        val settings = Seq(
          "spark.sql.adaptive.enabled" -> adaptive.toString,
          // Whatever the user merges or lets write at once elsewhere.
          "spark.sql.adaptive.coalescePartitions.parallelismFirst" -> "false",
          "spark.sql.maxConcurrentOutputFileWriters" -> "5",
          "spark.databricks.delta.optimizeWrite.enabled" -> "true"
        )
        withSQLConf(settings: _*) {
          keepingRows("t")(optimize("t", "a, b", files = 6))
        }
        val files = filesOf("t").size
        if (partitionBy.size < 2) requireOneShuffleAndSort(files)
        else {
          requireOneShuffleAndSort(WriterPlan.shuffleTasks)
          assert(files === filesOf("t").map(_.partitionValues).distinct.size)
          assert(WriterPlan.shuffleTasks <= files)
        }
      }
    }

  private val plain = "CAST(a AS DECIMAL(18, 2)) AS d"
  private val nested = "named_struct('x', a) AS d"

  for ((column, partitionBy, order, blocks, expected) <- Seq(
      (plain, Nil, "a, b", true, "blocks"),
      (plain, Nil, "a, b", false, "rows"),
      (plain, Nil, "a", true, "blocks"),
      (plain, Nil, "c", true, "blocks"),
      (plain, Nil, "c", false, "rows"),
      ("CAST(a AS DECIMAL(30, 2)) AS x", Nil, "x", true, "rows"),
      (plain, Seq("c"), "a, b", true, "blocks"),
      (plain, Seq("day", "c"), "a, b", true, "blocks"),
      (plain, Seq("c"), "a, b", false, "rows"),
      (nested, Nil, "a, b", true, "rows"),
      (nested, Seq("c"), "a, b", true, "rows")
    ))
    test(
      s"by $order, partitioned by (${partitionBy.mkString(", ")}), $column, column blocks $blocks: moves $expected",
      Option.when(order != "a, b" || partitionBy.size == 2 || (!blocks && partitionBy.nonEmpty))(LongTest).toSeq: _*
    ) {
      withTable("t")(withSQLConf("spark.sql.zorder.optimize.columnBlocks" -> blocks.toString) {
        createTable("t", events(2000).where("c < 'user-12'").selectExpr("*", column), files = 2, partitionBy)
        keepingRows("t")(optimize("t", order, files = 4))
        val found = if (WriterPlan.clustered.metrics("numBlocks").value > 0) "blocks" else "rows"
        assert(found === expected, WriterPlan.last)
        if (partitionBy.isEmpty) requireOneShuffleAndSort(filesOf("t").size)
      })
    }

  for (blocks <- Seq(true, false))
    test(
      s"partitions of 0.0 and -0.0 in one task have a file each, column blocks $blocks",
      Option.when(!blocks)(LongTest).toSeq: _*) {
      withTable("t")(withSQLConf("spark.sql.zorder.optimize.columnBlocks" -> blocks.toString) {
        for ((value, rows) <- Seq("0.0D" -> 300, "-0.0D" -> 300, "1.0D" -> 5000))
          events(rows).selectExpr("*", s"$value AS q").coalesce(1).write
            .format("delta").partitionBy("q").mode("append").saveAsTable("t")
        keepingRows("t")(optimize("t", "a, b", files = 3))
        assert(filesOf("t").size <= 5, "of rows in turn each would begin a file")
      })
    }

  for (blocks <- Seq(true, false))
    test(
      s"the rows of a task are sorted by their partitions, as the plan says, column blocks $blocks",
      Option.when(!blocks)(LongTest).toSeq: _*) {
      withTable("t")(withSQLConf("spark.sql.zorder.optimize.columnBlocks" -> blocks.toString) {
        // Their folders have another order.
        for ((value, rows) <- Seq("10" -> 100, "2" -> 100, "CAST(NULL AS INT)" -> 100, "1" -> 40000))
          events(rows).selectExpr("*", s"$value AS p").coalesce(1).write
            .format("delta").partitionBy("p").mode("append").saveAsTable("t")
        keepingRows("t")(optimize("t", "a, b", files = 3))
        val node = WriterPlan.clustered
        val at = node.output.indexWhere(_.name == "p")
        assert(node.outputOrdering.map(_.child) === Seq(node.output(at)))
        val tasks = node.execute().mapPartitions { rows =>
          Iterator.single(rows.map(r => if (r.isNullAt(at)) Int.MinValue else r.getInt(at)).toArray)
        }.collect()
        assert(tasks.exists(_.distinct.length > 2))
        tasks.foreach(partitions => assert(partitions.sameElements(partitions.sorted)))
      })
    }

  test("one shuffle and one sort where a table with a constraint has a string partition", LongTest) {
    withTable("t") {
      createTable("t", events(1000), files = 2, Seq("c"))
      sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id >= 0)")
      keepingRows("t")(optimize("t", "a, b", files = 2))
      requireOneShuffleAndSort(WriterPlan.shuffleTasks)
    }
  }

  test("the session's own settings are as they were", LongTest) {
    withTable("t") {
      createTable("t", events(300))
      val before = spark.conf.getAll
      optimize("t", "a, b", files = 2)
      assert(spark.conf.getAll === before)
    }
  }

  for (statement <- Seq(
      "OPTIMIZE t ZORDER BY (a, b)",
      "OPTIMIZE t WHERE day > '2024-01-01' ZORDER BY (a)",
      "DESCRIBE LAYOUT t",
      "SELECT * FROM describe_layout('t') WHERE files > 1",
      "SELECT l.column FROM layout_files(table => 't') l JOIN describe_layout('t') d USING (column)",
      "SELECT * FROM explain_skipping('SELECT * FROM t')",
      "DESCRIBE LAYOUT EXTENDED t ON (a)"
    ))
    test(
      s"EXPLAIN $statement starts no job and changes nothing",
      Option.when(statement != "OPTIMIZE t ZORDER BY (a, b)")(LongTest).toSeq: _*) {
      withTable("t") {
        createTable("t", events(300), partitionBy = Seq("day"))
        changingNothing("t") {
          for (mode <- Seq("", "EXTENDED", "FORMATTED", "COST", "CODEGEN")) {
            val jobs = jobsOf {
              val text = sql(s"EXPLAIN $mode $statement").head().getString(0)
              if (mode != "CODEGEN") assert(text.contains("t") || text.contains("ExplainSkipping"), text)
            }
            assert(jobs === Nil, mode)
          }
          // A table that this JVM has not seen before.
          DeltaLog.clearCache()
          assert(jobsOf(sql(s"EXPLAIN $statement").collect()) === Nil)
        }
      }
    }

  test("EXPLAIN shows the table, the columns and the predicate") {
    withTable("t") {
      createTable("t", events(300), partitionBy = Seq("day"))
      val text = sql("EXPLAIN OPTIMIZE t WHERE DAY > '2024-01-01' ZORDER BY (A, b)").head().getString(0)
      assert(
        text.contains("OptimizeZOrder default.t, [a, b]") || text.contains(
          "OptimizeZOrder spark_catalog.default.t, [a, b]"),
        text)
      assert(text.contains("day > "), text)
    }
  }
}
