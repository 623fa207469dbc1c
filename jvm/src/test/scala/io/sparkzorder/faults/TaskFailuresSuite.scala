// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.io.File

import io.sparkzorder.LongSuite

import org.apache.commons.io.FileUtils

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.zorder.RetryingSession

/** Tasks that fail and are tried again: the outcome is that of a run without a fault. */
class TaskFailuresSuite extends QueryTest with FaultySession with RetryingSession with LongSuite {

  override protected val taskAttempts: Int = 4

  /** Each file's rows in their order, file by file: equal for equal layouts, whatever the files' names. */
  private def layout(table: String): Seq[String] = {
    import testImplicits._
    added(table).map { file =>
      spark.read.parquet(locationOf(table, file)).coalesce(1).as[(Long, Int, Option[Double], String)].collect().mkString
    }.sorted
  }

  /** Calls `body` with two tables of the same files, "t" and "undisturbed". */
  private def withTwins(body: => Unit): Unit = withTempDir { folder =>
    withTable("t", "undisturbed") {
      createTable("t", events(3000).drop("day"), files = 3)
      val copy = new File(folder, "copy")
      FileUtils.copyDirectory(new File(log("t").dataPath.toUri), copy)
      sql(s"CREATE TABLE undisturbed USING delta LOCATION '$copy'")
      body
    }
  }

  for ((job, call) <- Seq(
      "sample" -> "open",
      "sample" -> "read",
      "rewrite" -> "open",
      "rewrite" -> "read",
      "rewrite" -> "create",
      "rewrite" -> "close"))
    test(s"a task of the job '$job' fails three times at '$call', then succeeds") {
      withTwins {
        optimize("undisturbed", "a, b", files = 6)
        val faults = new FailingAttempts(call, 3, phase.contains(job))
        keepingRows("t")(FaultyFileSystem.having(faults)(optimize("t", "a, b", files = 6)))
        // A phase may have several jobs that read or write such files, each with a first task.
        assert(faults.failed > 0 && faults.failed % 3 === 0)
        assert(version("t") === 1)
        assert(removed("t").size === 3)
        assert(layout("t") === layout("undisturbed"))
        requireCurveOrder("t", "a", "b")
        requireCleanAfterVacuum("t")
      }
    }

  for ((job, call) <- Seq("sample" -> "read", "rewrite" -> "read", "rewrite" -> "close"))
    test(s"a task of the job '$job' that always fails at '$call' fails the statement, and nothing changes") {
      withTable("t") {
        createTable("t", events(3000))
        val before = filesOf("t")
        val faults = new FailingAttempts(call, 4, phase.contains(job))
        val error =
          intercept[Exception](keepingRows("t")(FaultyFileSystem.having(faults)(optimize("t", "a, b", files = 6))))
        assert(faults.failed === 4)
        val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).toSeq
        assert(causes.exists(c => String.valueOf(c.getMessage).contains(s"injected: cannot $call")), causes)
        assert(version("t") === 0 && filesOf("t").map(_.path) === before.map(_.path))
        keepingRows("t")(optimize("t", "a, b", files = 6))
        requireCleanAfterVacuum("t")
      }
    }
}
