// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import org.apache.spark.{SparkThrowable, TaskKilledException}

/** Errors by which it is known that somebody has ended a statement, a query or a task. */
object Interruption {

  /**
   * Whether an error, or what caused it, is such a one. A store that does not answer, or has no connection left, is
   * interrupted by its class alone, and Hadoop puts such an error into another of that class.
   */
  def isIn(error: Throwable): Boolean = {
    val causes = UnexpectedError.chain(error)
    causes.exists(isEnd) || (causes.exists(_.isInstanceOf[InterruptedIOException]) && !causes.exists(isTimeout))
  }

  private def isEnd(error: Throwable): Boolean = error match {
    case spark: SparkThrowable => spark.getCondition == "SPARK_JOB_CANCELLED"
    case _: InterruptedException | _: ClosedByInterruptException | _: TaskKilledException => true
    case _ => false
  }

  // Clients of stores have classes of their own, which may be shaded.
  private def isTimeout(error: Throwable): Boolean = error match {
    case _: SocketTimeoutException => true
    case e: InterruptedIOException => e.getClass.getSimpleName.endsWith("TimeoutException") || e.getMessage == "timeout"
    case _ => false
  }
}
