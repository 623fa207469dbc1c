// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.errors.{RememberedWarnings, UnreadableFile}

import org.apache.spark.internal.Logging

/** Warns of statistics that cannot be used: once for each table and version. */
private[skipping] object IndexWarnings extends Logging {

  val OfIndex = "statistics index"
  val RemedyOfIndex = "ANALYZE TABLE ... COMPUTE FILE STATISTICS recreates it."

  private val RemedyOfClosed =
    "Permissions close it to you: its owner, or that of the table, can open it, and all folders above it."

  private val warned = new RememberedWarnings[(String, Option[String])]

  /**
   * @param statistics
   *   what they are, `statistics index`
   * @param version
   *   None where not even that could be read
   * @param remedy
   *   a sentence; None where nothing has to be done
   */
  def warn(
      statistics: String,
      table: String,
      version: Option[String],
      remedy: Option[String],
      cause: Throwable): Unit =
    if (warned.isNew((table, version))) {
      // Who may not open it may not mend it either.
      val hint = if (UnreadableFile.isDenied(cause)) Some(RemedyOfClosed) else remedy
      logWarning(
        s"The $statistics of $table${version.fold("")(v => s", version $v,")} cannot be used: queries read all its " +
          s"files.${hint.fold("")(" " + _)}",
        cause
      )
    }
}
