// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import java.io.InterruptedIOException
import java.net.SocketTimeoutException
import java.nio.channels.ClosedByInterruptException

import org.apache.spark.{SparkThrowable, TaskKilledException}

/** What tells that somebody has ended a statement, a query or a task. */
object Interruption {

  /** Whether an error, or what caused it, tells so. */
  def isIn(error: Throwable): Boolean = UnexpectedError.chain(error).exists {
    case spark: SparkThrowable => spark.getCondition == "SPARK_JOB_CANCELLED"
    // Of a store that does not answer: both are interruptions by their class alone.
    case _: SocketTimeoutException => false
    case timeout if timeout.getClass.getSimpleName == "ConnectTimeoutException" => false
    case _: InterruptedException | _: InterruptedIOException | _: ClosedByInterruptException | _: TaskKilledException =>
      true
    case _ => false
  }
}
