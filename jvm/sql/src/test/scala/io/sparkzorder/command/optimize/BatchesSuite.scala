// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import java.io.File
import java.util.concurrent.atomic.AtomicInteger

import io.sparkzorder.{DeltaSession, LongSuite}

import org.apache.spark.scheduler.{SparkListener, SparkListenerJobStart}
import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.catalyst.plans.logical.CommandResult
import org.apache.spark.sql.delta.actions.RemoveFile

/** Commits in batches of partitions. */
class BatchesSuite extends QueryTest with DeltaSession with LongSuite {

  private def statement(options: String): String =
    s"OPTIMIZE t ZORDER BY (a, b) OPTIONS (target_file_size = '4k'$options)"

  private def commits(since: Long): Seq[Seq[String]] = (since + 1 to version("t")).map { v =>
    log("t").getChanges(v).next()._2.collect { case r: RemoveFile =>
      r.partitionValues("day")
    }.distinct.sorted
  }

  private val days = Seq("2024-01-01", "2024-01-02", "2024-01-03")

  test("one commit each time the partitions make up a batch, by the option or Delta's setting") {
    for ((size, expected) <- Seq("1" -> 3, "1g" -> 1); asOption <- Seq(true, false)) withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      val before = version("t")
      val setting = if (asOption) Nil else Seq("spark.databricks.delta.optimize.batchSize" -> size)
      val result = withSQLConf(setting: _*) {
        keepingRows("t")(sql(statement(if (asOption) s", batch_size = '$size'" else "")).head())
      }
      assert(commits(before).size === expected && commits(before).flatten.sorted === days)
      val metrics = result.getStruct(1)
      assert(metrics.getAs[Long]("numBatches") === expected && metrics.getAs[Long]("partitionsOptimized") === 3)
      assert(metrics.getAs[Long]("numFilesAdded") === filesOf("t").size)
    }
  }

  /** Runs a statement that is ended in its batch of this number. */
  private def interrupted(text: String, batch: Int): Unit = {
    val samples = new AtomicInteger
    val breaker = new SparkListener {
      override def onJobStart(job: SparkListenerJobStart): Unit = {
        val phase = String.valueOf(job.properties.getProperty("spark.job.description"))
        if (phase.endsWith(": sample")) samples.incrementAndGet()
        // This batch has begun, so those before it are committed.
        else if (phase.endsWith(": rewrite") && samples.get == batch) sparkContext.cancelJob(job.jobId, "as if killed")
      }
    }
    sparkContext.addSparkListener(breaker)
    try intercept[Exception](sql(text))
    finally sparkContext.removeSparkListener(breaker)
  }

  test("what a broken run has committed stays, and the same statement goes on with the rest") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      val begun = version("t")
      keepingRows("t")(interrupted(statement(", batch_size = '1'"), batch = 2))
      assert(commits(begun).size === 1)
      val done = commits(begun).flatten

      val middle = version("t")
      val result = keepingRows("t")(sql(statement(", batch_size = '1'")).head())
      assert(commits(middle).flatten.sorted === days.diff(done))
      assert(result.getStruct(1).getAs[Long]("partitionsOptimized") === 2)
      // That finished it: the next one does all of it again.
      val finished = version("t")
      sql(statement(", batch_size = '1'"))
      assert(commits(finished).flatten.sorted === days)
    }
  }

  private def where(day: String, options: String = ", batch_size = '1'"): String =
    statement(options).replace("ZORDER BY", s"WHERE day $day ZORDER BY")

  /** The days that a statement rewrites. */
  private def rewritten(text: String): Seq[String] = {
    val before = version("t")
    keepingRows("t")(sql(text))
    commits(before).flatten.sorted
  }

  test("a finished run in batches keeps no statement from its work") {
    withTable("t") {
      createTable("t", events(300), files = 1, partitionBy = Seq("day"))
      assert(rewritten(statement(", batch_size = '1'")) === days)
      for (day <- days.take(2)) assert(rewritten(where(s"= '$day'")) === Seq(day))
      // Nor where the files of its last batches are gone.
      events(30).where("day = '2024-01-03'").writeTo("t").overwritePartitions()
      assert(rewritten(statement(", batch_size = '1'")) === days)
    }
  }

  test("an interrupted run is continued by the same statement only, in whatever batches") {
    val others = Seq(
      statement(", batch_size = '1', curve = 'hilbert'"),
      statement(", batch_size = '1'").replace("4k", "5k"),
      statement(", batch_size = '1'").replace("(a, b)", "(b, a)"),
      where(">= '2024-01-01'"),
      statement(", batch_size = '1', where_files = 'overlapping'")
    )
    withTable("t") {
      createTable("t", events(300), files = 1, partitionBy = Seq("day"))
      val begun = version("t")
      interrupted(statement(", batch_size = '1'"), batch = 3)
      val done = commits(begun).flatten
      assert(done.size === 2)
      def left(text: String) = sql(s"$text DRY RUN").head().getStruct(1).getAs[Long]("partitionsOptimized")
      for (other <- others) assert(left(other) === 3, other)
      assert(left(statement(", batch_size = '1'")) === 1)
      // Other statements come and go; what they rewrite again is not taken for work of the interrupted one.
      assert(rewritten(where(s"= '${done.head}'")) === done.take(1))
      assert(rewritten(statement(", batch_size = '1g'")) === days.diff(done.tail))
      assert(left(statement(", batch_size = '1g'")) === 3)
    }
  }

  test("an interrupted run of a Parquet table is continued, and a finished one is not") {
    withTempDir { dir =>
      val path = s"${dir.getCanonicalPath}/t"
      events(300).coalesce(1).write.partitionBy("day").parquet(path)
      def optimize(where: String = "", size: String = "4k"): Set[String] = {
        val before = days.map(d => d -> filesIn(path, d)).toMap
        val rows = spark.read.parquet(path).collect().toSeq
        sql(statementOn(path, where, size))
        checkAnswer(spark.read.parquet(path), rows)
        days.filter(d => filesIn(path, d) != before(d)).toSet
      }
      def statementOn(path: String, where: String, size: String) =
        s"OPTIMIZE parquet.`$path` $where ZORDER BY (a, b) OPTIONS (target_file_size = '$size', batch_size = '1')"
      def filesIn(path: String, day: String) = new File(s"$path/day=$day").list().filter(_.endsWith(".parquet")).toSet

      interrupted(statementOn(path, "", "4k"), batch = 2)
      assert(optimize().size === 2)
      assert(optimize() === days.toSet)
      assert(optimize(s"WHERE day = '${days.head}'") === days.take(1).toSet)
      interrupted(statementOn(path, "", "4k"), batch = 2)
      assert(optimize(size = "5k") === days.toSet)
      // A run that was never finished leaves a record, whose place the next statement takes.
      assert(optimize() === days.toSet && optimize() === days.toSet)
      assert(!new File(s"$path/_zorder/runs").exists)
    }
  }

  test("incremental batches leave no marks that a full statement would stop at") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      sql(statement(", batch_size = '1', mode = 'incremental'"))
      events(300).where("day = '2024-01-01'").writeTo("t").append()
      val before = version("t")
      val result = keepingRows("t")(sql(statement(", batch_size = '1', mode = 'incremental'")).head())
      assert(commits(before) === Seq(days.take(1)) && result.getStruct(1).getAs[Long]("numBatches") === 1)
      val incremental = version("t")
      sql(statement(", batch_size = '1'"))
      assert(commits(incremental).flatten.sorted === days)
    }
  }

  test("files that a predicate on data columns can match, if the statement says so") {
    withTable("t") {
      createTable("t", events(3000).sort("id").coalesce(1), files = 1)
      sql("OPTIMIZE t ZORDER BY (id) OPTIONS (target_file_size = '3k')")
      val before = filesOf("t").map(_.path).toSet
      val result = keepingRows("t") {
        sql("OPTIMIZE t WHERE id BETWEEN 100 AND 300 ZORDER BY (a) OPTIONS (where_files = 'overlapping')").head()
      }
      val touched = removed("t").map(_.path).toSet
      assert(touched.nonEmpty && touched.size < before.size && touched.subsetOf(before))
      assert(result.getStruct(1).getAs[Long]("totalConsideredFiles") === touched.size)
      assert(sql("DESCRIBE HISTORY t LIMIT 1").head().getAs[Map[String, String]]("operationParameters")("predicate")
        .contains("id"))
      // Nothing matches: nothing is done.
      changingNothing("t") {
        sql("OPTIMIZE t WHERE id < 0 ZORDER BY (a) OPTIONS (where_files = 'overlapping')").collect()
      }
    }
  }

  test("a predicate on data and partition columns together") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      keepingRows("t") {
        sql("OPTIMIZE t WHERE day = '2024-01-02' AND id >= 0 ZORDER BY (a) OPTIONS (where_files = 'overlapping')")
      }
      assert(removed("t").map(_.partitionValues("day")).distinct === Seq("2024-01-02"))
    }
  }

  test("metrics of the command, and a description of each phase's jobs") {
    withTable("t") {
      createTable("t", events(3000), partitionBy = Seq("day"))
      val bytes = bytesOf("t")
      var values = Map.empty[String, Long]
      val jobs = jobsOf {
        val plan = sql(statement("")).queryExecution.commandExecuted
        values = plan.collect { case r: CommandResult =>
          r.commandPhysicalPlan.metrics.map { case (name, metric) => name -> metric.value }
        }.head
      }
      assert(values("rowsMoved") === 3000 && values("rowsSampled") === 3000)
      assert(values("filesWritten") === filesOf("t").size && values("bytesWritten") === bytesOf("t"))
      assert(values("filesRead") === 9 && values("bytesRead") === bytes)
      assert(values("rewriteTime") > 0)
      for (phase <- Seq("sample", "rewrite")) assert(jobs.exists(_.endsWith(s": $phase")), jobs)
    }
  }
}
