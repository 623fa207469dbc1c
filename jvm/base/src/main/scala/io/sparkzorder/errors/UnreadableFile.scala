// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.errors

import org.apache.spark.SparkThrowable

/** A data file that Spark failed to read, found among the causes of an error. */
object UnreadableFile {

  /**
   * Runs `body`; where it fails on a data file, the error names the file and says what can be done. Spark's own says so
   * only of files that are missing, and what it proposes (REFRESH TABLE) is no help with a table that has a log.
   */
  def named[T](body: => T): T =
    try body
    catch { case e: Exception => throw of(e).getOrElse(e) }

  private def of(error: Throwable): Option[ZOrderRuntimeException] = {
    // Bounded, as nothing forbids causes in a circle.
    val causes = Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(100).toIndexedSeq
    causes.collectFirst {
      case ours: ZOrderRuntimeException if ours.getCondition == "ZORDER_UNREADABLE_FILE" => ours
      case t: SparkThrowable if String.valueOf(t.getCondition).startsWith("FAILED_READ_FILE") =>
        val file = Option(t.getMessageParameters.get("path")).getOrElse("unknown")
        ZOrderErrors.unreadableFile(file, reason(causes.last), error)
    }
  }

  /** What an error says, in a line. */
  def reason(error: Throwable): String = firstLine(Option(error.getMessage).getOrElse(error.getClass.getName))

  private def firstLine(text: String): String = text.linesIterator.nextOption().getOrElse("").stripSuffix(".")
}
