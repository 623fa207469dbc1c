// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.plan

import io.sparkzorder.{JobLog, ZOrderSharedSession}

import org.apache.spark.sql.{DataFrame, QueryTest}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

/** What a call costs: nothing while planning, one more pass over the input for all calls together when it runs. */
class RangePartitionIdPassesSuite extends QueryTest with ZOrderSharedSession with JobLog with AdaptiveSparkPlanHelper {

  override protected def validatesPlans: Boolean = true

  private def withFiles(body: => Unit): Unit = withTempPath { path =>
    spark.range(
      0,
      100,
      1,
      3).selectExpr("id", "id % 7 AS a", "id % 5 AS b", "string(id) AS s").write.parquet(path.toString)
    spark.read.parquet(path.toString).createOrReplaceTempView("files")
    body
  }

  private val queries = Seq(
    "SELECT range_partition_id(a, 4), range_partition_id(b, 4) FROM files WHERE range_partition_id(s, 3) = 1",
    "SELECT count(*) FROM files GROUP BY range_partition_id(a, 4) HAVING range_partition_id(count(*), 2) = 0",
    "SELECT a.id FROM files a JOIN files b ON range_partition_id(a.a, 2) = range_partition_id(b.b, 2)",
    "SELECT * FROM files WHERE a IN (SELECT range_partition_id(b, 4) FROM files) ORDER BY range_partition_id(a, 4)"
  )

  test("planning starts no job") {
    withFiles {
      for (adaptive <- Seq("true", "false"); query <- queries) withSQLConf("spark.sql.adaptive.enabled" -> adaptive) {
        assert(jobsOf {
          val execution = sql(query).queryExecution
          execution.optimizedPlan
          execution.executedPlan
          sql(s"EXPLAIN EXTENDED $query").collect()
          sql(s"EXPLAIN FORMATTED $query").collect()
        } === Nil)
      }
      assert(jobsOf(sql(queries.head).collect()).nonEmpty, "the listener does listen")
    }
  }

  private def scans(df: DataFrame): Int = {
    df.collect()
    collectWithSubqueries(df.queryExecution.executedPlan) { case scan: FileSourceScanExec => scan: SparkPlan }.size
  }

  test("all calls of an operator share one pass") {
    withFiles {
      for (reuse <- Seq("true", "false"); adaptive <- Seq("true", "false"))
        withSQLConf("spark.sql.execution.reuseSubquery" -> reuse, "spark.sql.adaptive.enabled" -> adaptive) {
          val df = sql("""SELECT range_partition_id(a, 4), range_partition_id(b, 8), range_partition_id(s, 3),
                         |  range_partition_id(a, 4) + 1, range_partition_id(a, 9) FROM files""".stripMargin)
          val boundaries = df.queryExecution.optimizedPlan.collectWithSubqueries { case a: Aggregate =>
            a.canonicalized
          }
          assert(boundaries.distinct.size === 1)
          assert(boundaries.head.toString.split("range_boundaries").length - 1 === 4, "equal calls are one")
          if (reuse == "true") assert(scans(df) === 2, "one for the boundaries, one for the query")
        }
    }
  }

  test("each row of the input is computed once for the boundaries and once for the query") {
    val computed = spark.sparkContext.longAccumulator("rows")
    spark.udf.register(
      "counted",
      org.apache.spark.sql.functions.udf { (v: Long) => computed.add(1); v }.asNondeterministic())
    val df = sql("""SELECT range_partition_id(x, 4), range_partition_id(x + 1, 5), range_partition_id(-x, 6), x
                   |FROM (SELECT counted(id) AS x FROM range(0, 100, 1, 2))""".stripMargin)
    df.collect()
    assert(computed.value === 200)
  }

  test("calls in operators over the same rows are merged by Spark itself") {
    withFiles {
      val df = sql("SELECT id, range_partition_id(a, 4) FROM files ORDER BY range_partition_id(b, 4)")
      assert(scans(df) === 2)
    }
  }

  test("a query without calls keeps its plan") {
    val plan = sql("SELECT id FROM range(5) WHERE id IN (SELECT id FROM range(3))").queryExecution.analyzed
    assert(RewriteRangePartitionIds(plan) eq plan)
  }
}
