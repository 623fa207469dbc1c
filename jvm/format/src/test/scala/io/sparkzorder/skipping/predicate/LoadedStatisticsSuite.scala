// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.io.{IOException, InterruptedIOException}
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.DurationInt

import io.sparkzorder.column.ColumnStatistics

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkException
import org.apache.spark.sql.types.DataType
import org.scalatest.funsuite.AnyFunSuite

class LoadedStatisticsSuite extends AnyFunSuite {

  private class StatisticsOf(val zone: String) extends StatisticsByPath {
    override def size: Int = 0
    override def find(file: Path): Int = -1
    override def rows(file: Int): Long = -1
    override def column(path: Seq[String], dataType: DataType): Option[ColumnStatistics.OfFiles] = None
  }

  private val jobs = new AtomicInteger

  private def statistics(zone: String) = {
    jobs.incrementAndGet()
    new StatisticsOf(zone)
  }

  test("queries that ask at once wait for one job, one for each time zone") {
    val loaded = new LoadedStatistics[StatisticsOf]
    val together = new CountDownLatch(4)
    import ExecutionContext.Implicits.global
    def asked(zone: String) = Future {
      together.countDown()
      loaded.load(zone) {
        Thread.sleep(50)
        statistics(zone)
      }.get
    }
    val found = Await.result(Future.sequence(Seq("UTC", "UTC", "UTC", "Asia/Tokyo").map(asked)), 1.minute)
    assert(jobs.get === 2 && found.take(3).distinct.size === 1)
    assert(loaded.loaded("UTC").contains(found.head) && loaded.loaded("Europe/Paris").isEmpty)
  }

  test("what fails is not tried again, but for what was cancelled") {
    val loaded = new LoadedStatistics[StatisticsOf]
    intercept[IllegalStateException](loaded.load("UTC")(throw new IllegalStateException("too large")))
    assert(loaded.load("UTC")(fail("tried again")).isEmpty)
    val cancelled = new SparkException("SPARK_JOB_CANCELLED", Map("jobId" -> "1", "reason" -> ""), null)
    intercept[SparkException](loaded.load("Asia/Tokyo")(throw cancelled))
    assert(loaded.load("Asia/Tokyo")(statistics("Asia/Tokyo")).isDefined)
  }

  test("a store that does not answer is a failure, a thread that is interrupted is none") {
    def isFailure(e: Throwable) = ListedStatistics.Failure.unapply(e).isDefined
    assert(isFailure(new RuntimeException(new SocketTimeoutException("Read timed out"))))
    assert(isFailure(new RuntimeException("no answer", new IOException("full"))))
    // As S3A tells that its pool has no connection left, and OkHttp that nobody answers.
    val ofPool = new InterruptedIOException("getFileStatus on s3a://t")
    ofPool.initCause(new RuntimeException(new ConnectionPoolTimeoutException))
    for (cause <- Seq(ofPool, new InterruptedIOException("timeout"))) assert(isFailure(new RuntimeException(cause)))
    // One who waited for the pool was interrupted.
    val interrupted = new ConnectionPoolTimeoutException
    interrupted.initCause(new InterruptedException)
    assert(!isFailure(new RuntimeException(interrupted)))
    for (cause <- Seq(new InterruptedException, new InterruptedIOException, new ClosedByInterruptException))
      assert(!isFailure(new RuntimeException("Interrupted while running parallel task", cause)))
  }
}

/** As Apache's client names it. */
class ConnectionPoolTimeoutException extends InterruptedIOException("Timeout waiting for connection from pool")
