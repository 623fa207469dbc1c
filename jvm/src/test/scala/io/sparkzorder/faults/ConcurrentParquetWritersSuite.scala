// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.io.File
import java.nio.file.Files
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.util.Try

import io.sparkzorder.{DailyTest, LongTest}
import io.sparkzorder.errors.ZOrderRuntimeException

import org.apache.hadoop.fs.Path
import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.{DataFrame, QueryTest, Row}
import org.apache.spark.sql.execution.FileSourceScanExec

/**
 * What concurrent writers do to a plain Parquet table while it is rewritten. Delta's extension is there, too, and
 * listed first.
 */
class ConcurrentParquetWritersSuite extends QueryTest with FaultySession {

  private def rows(first: Int, end: Int): DataFrame = spark.sql(
    s"SELECT id, CAST(id * 7919 % 1000 AS INT) AS a, CAST(id % 4 AS INT) AS p FROM range($first, $end)")

  private def files(path: String, p: Int): Set[File] =
    new File(path, s"p=$p").listFiles.filter(_.getName.endsWith(".parquet")).toSet

  private def read(path: String): Seq[Row] = spark.read.parquet(path).select("id").collect().toSeq

  /** Rewrites the table; `concurrently` runs when all rows have been read and none is written. */
  private def optimizing(path: String)(concurrently: => Unit): Try[Row] =
    pausing(
      s"OPTIMIZE parquet.`$path` ZORDER BY (a, id) OPTIONS (target_file_size = '3k')",
      new Pause("create", phase.contains("rewrite")))(concurrently)

  /** Compacts the table; `concurrently` runs when its four new files are staged and no entry names them. */
  private def compacting(path: String)(concurrently: => Unit): Try[Row] = {
    val staged = new AtomicInteger
    pausing(s"OPTIMIZE parquet.`$path`", new Pause("close", phase.isDefined && staged.incrementAndGet() == 4))(
      concurrently)
  }

  private def pausing(statement: String, pause: Pause)(concurrently: => Unit): Try[Row] =
    FaultyFileSystem.having(pause) {
      val running = Future(Try(sql(statement).head()))(ExecutionContext.global)
      try {
        pause.awaitReached()
        concurrently
      } finally pause.release()
      Await.result(running, 3.minutes)
    }

  private def withPartitions(body: String => Unit): Unit = withTempDir { dir =>
    val path = new File(dir, "t").getCanonicalPath
    rows(0, 2000).repartition(3).write.partitionBy("p").parquet(path)
    body(path)
  }

  test("partitions that concurrent writers change stay as they left them and are named; the rest is rewritten") {
    withPartitions { path =>
      val old = (0 until 4).map(files(path, _))
      var (theirs, expected) = (Set.empty[File], Seq.empty[Row])
      val outcome = optimizing(path) {
        old(1).head.delete()
        withSQLConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
          rows(5000, 5100).where("p = 2").coalesce(1).write.mode("overwrite").partitionBy("p").parquet(path)
        }
        rows(6000, 6100).where("p = 3").coalesce(1).write.mode("append").partitionBy("p").parquet(path)
        theirs = files(path, 3) -- old(3)
        expected = read(path)
      }
      val e = outcome.failed.get.asInstanceOf[ZOrderRuntimeException]
      assert(e.getCondition == "ZORDER_FILES_CHANGED")
      assert(e.getMessage.contains("p=1") && e.getMessage.contains("p=2") && !e.getMessage.contains("p=0"))
      assert(QueryTest.sameRows(expected, read(path)).isEmpty)
      assert(files(path, 0).intersect(old(0)).isEmpty && files(path, 1) == old(1) - old(1).head)
      assert(theirs.size == 1 && theirs.subsetOf(files(path, 3)) && files(path, 3).intersect(old(3)).isEmpty)
      assert(!new File(path, "_zorder/staging").exists)

      // Once more, with nobody else there.
      sql(s"OPTIMIZE parquet.`$path` ZORDER BY (a, id) OPTIONS (target_file_size = '3k')").collect()
      assert(QueryTest.sameRows(expected, read(path)).isEmpty)
      assert(files(path, 1).intersect(old(1)).isEmpty)
    }
  }

  test("CONVERT TO DELTA takes the files that count where a rewrite was interrupted", DailyTest) {
    withPartitions { path =>
      val before = read(path)
      // A copy of an old file counts: these are the very files.
      val elsewhere = Files.createTempDirectory(new File(path).getParentFile.toPath, "_old")
      val old = (0 until 4).flatMap(files(path, _)).zipWithIndex.map { case (f, i) =>
        f -> Files.createLink(elsewhere.resolve(i.toString), f.toPath)
      }
      sql(s"OPTIMIZE parquet.`$path` ZORDER BY (a, id) OPTIONS (target_file_size = '3k')").collect()
      new File(path, "_zorder/log").listFiles.filter(_.getName.contains(".closed")).foreach(_.delete())
      old.foreach { case (file, link) => Files.move(link, file.toPath) }
      for (_ <- 0 until 2) {
        sql(s"CONVERT TO DELTA parquet.`$path` PARTITIONED BY (p INT)").collect()
        val converted = spark.read.format("delta").load(path).select("id").collect().toSeq
        assert(QueryTest.sameRows(before, converted).isEmpty, s"${converted.size} rows")
      }
      assert(old.forall(!_._1.exists) && !new File(path, "_zorder/staging").exists)
    }
  }

  test("CONVERT TO DELTA warns of old files that are there again: both count", DailyTest) {
    withPartitions { path =>
      val before = read(path)
      val old = files(path, 1).toSeq.map(f => f.toPath -> Files.readAllBytes(f.toPath))
      sql(s"OPTIMIZE parquet.`$path` ZORDER BY (a, id) OPTIONS (target_file_size = '3k')").collect()
      old.foreach { case (file, bytes) => Files.write(file, bytes) }
      val messages = warningsOf(sql(s"CONVERT TO DELTA parquet.`$path` PARTITIONED BY (p INT)").collect())
      assert(messages.exists(m => m.contains("ROWS ARE DOUBLED") && m.contains("p=1/")), messages)
      val converted = spark.read.format("delta").load(path).select("id").collect().toSeq
      val doubled = spark.read.format("delta").load(path).where("p = 1").count() / 2
      assert(converted.size == before.size + doubled && converted.toSet == before.toSet)
    }
  }

  test("a file that a writer replaces between the listing and the look into it is looked for anew") {
    withPartitions { path =>
      spark.sql(s"CREATE TABLE parquet_files USING parquet LOCATION '$path'")
      withTable("parquet_files") {
        spark.catalog.recoverPartitions("parquet_files")
        for ((table, number) <- Seq("parquet_files", s"parquet.`$path`").zipWithIndex) {
          val (replaced, by) = (files(path, 1).head, new File(path, s"p=1/new-$number.parquet"))
          val faults = new FileFaults {
            override def opening(file: Path): Unit = if (file.getName == replaced.getName && replaced.exists) {
              Files.copy(replaced.toPath, by.toPath)
              replaced.delete(): Unit
            }
          }
          val analyzed = FaultyFileSystem.having(faults) {
            sql(s"ANALYZE TABLE $table COMPUTE FILE STATISTICS").head()
          }
          assert(!replaced.exists && analyzed.getLong(1) == 12)
          val index = spark.read.parquet(s"$path/_zorder/statistics")
          assert(index.where(s"file = 'p=1/${by.getName}'").count() == 1)
          JavaUtils.deleteRecursively(new File(path, "_zorder"))
        }
      }
    }
  }

  test("a compaction keeps what is appended while it runs, and leaves a partition whose files were changed") {
    withPartitions { path =>
      val old = (0 until 4).map(files(path, _))
      var (theirs, expected) = (Set.empty[File], Seq.empty[Row])
      val outcome = compacting(path) {
        old(1).head.delete()
        // As Spark's INSERT OVERWRITE leaves it that could not delete the folder.
        new File(path, "p=1/p=1").mkdir()
        rows(6000, 6100).where("p >= 2").coalesce(1).write.mode("append").partitionBy("p").parquet(path)
        theirs = (2 until 4).flatMap(p => files(path, p) -- old(p)).toSet
        expected = read(path)
      }
      val e = outcome.failed.get.asInstanceOf[ZOrderRuntimeException]
      assert(
        e.getCondition == "ZORDER_FILES_CHANGED" && e.getMessage.contains("lies in p=1/p=1: move it up"),
        e.getMessage)
      new File(path, "p=1/p=1").delete()
      assert(QueryTest.sameRows(expected, read(path)).isEmpty)
      assert(files(path, 1) == old(1) - old(1).head && files(path, 0).size == 1)
      assert(theirs.size == 2 && (2 until 4).forall(p =>
        files(path, p).size == 2 && files(path, p).intersect(old(p)).isEmpty))
      assert(theirs.subsetOf((2 until 4).flatMap(files(path, _)).toSet) && !new File(path, "_zorder/staging").exists)
      sql(s"OPTIMIZE parquet.`$path`").collect()
      assert(QueryTest.sameRows(expected, read(path)).isEmpty)
      assert((0 until 4).forall(files(path, _).size == 1))
    }
  }

  test("queries skip files where Delta's extension comes first", LongTest) {
    withPartitions { path =>
      val before = read(path)
      optimizing(path)(()).get
      val query = spark.read.parquet(path).where("a = 7 AND id >= 0")
      checkAnswer(query, rows(0, 2000).where("a = 7"))
      val scan = query.queryExecution.executedPlan.collectFirst { case s: FileSourceScanExec => s }.get
      assert(scan.metrics("numFiles").value * 2 <= (0 until 4).map(files(path, _).size).sum)
      assert(QueryTest.sameRows(before, read(path)).isEmpty)
    }
  }
}
