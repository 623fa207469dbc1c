// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.faults

import java.util.ConcurrentModificationException

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt
import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{QueryTest, Row}

/** Statements that concurrent writers run at a known point of an OPTIMIZE. */
trait ConcurrentWritersSession extends FaultySession { self: QueryTest =>

  /** Before a row is read: version and files have been chosen. */
  protected def beforeReading: Pause = new Pause("open", phase.contains("sample"))

  /** When all rows have been read and the first file is about to be written. */
  protected def beforeWriting: Pause = new Pause("create", phase.contains("rewrite"))

  /** Z-orders `t`; `concurrently` runs while it pauses. */
  protected def optimizing(pause: Pause, where: String = "")(concurrently: => Unit): Try[Row] =
    FaultyFileSystem.having(pause) {
      val running = Future(Try(optimize("t", "a, b", files = 4, where)))(ExecutionContext.global)
      try {
        pause.awaitReached()
        concurrently
      } finally pause.release()
      Await.result(running, 3.minutes)
    }

  /** As [[optimizing]]; afterwards the rows must be those that the concurrent writers left. */
  protected def optimizingKeepsRows(pause: Pause, where: String = "")(concurrently: => Unit): Try[Row] = {
    var expected = Seq.empty[Row]
    val outcome = optimizing(pause, where) {
      concurrently
      expected = spark.table("t").collect().toSeq
    }
    checkAnswer(spark.table("t"), expected)
    outcome
  }

  /** The statement succeeds, retried where concurrent writers have changed files that were being rewritten. */
  protected def requireSuccess(outcome: Try[Row]): Unit = {
    outcome.get
    // Where concurrent writers left nothing to rewrite, their state is final.
    if (filesOf("t").nonEmpty) assert(lastOperation === "OPTIMIZE")
  }

  /** Concurrent writers have changed the schema of the table: nothing of ours was committed. */
  protected def requireRefused(outcome: Try[Row], theirs: String): Unit = {
    assert(outcome.isFailure, "it was committed")
    requireConflict(outcome.failed.get, theirs)
    assert(lastOperation === theirs)
  }

  /** Delta's own conflict, which names what the concurrent writers did. */
  private def requireConflict(e: Throwable, theirs: String): Unit = {
    assert(e.isInstanceOf[ConcurrentModificationException] && e.getClass.getName.startsWith("io.delta.exceptions."), e)
    assert(e.asInstanceOf[SparkThrowable].getCondition.startsWith("DELTA_"), e)
    assert(e.asInstanceOf[SparkThrowable].getSqlState === "2D521", e)
    assert(e.getMessage.contains(theirs), e)
  }

  protected def lastOperation: String = sql("DESCRIBE HISTORY t LIMIT 1").head().getAs[String]("operation")
}
