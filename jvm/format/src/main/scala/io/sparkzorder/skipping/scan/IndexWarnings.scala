// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import io.sparkzorder.errors.{RememberedWarnings, UnreadableFile}

import org.apache.spark.internal.Logging

/** Warns of statistics that cannot be used, or are of little use: once for each table and version. */
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

  private val warnedOfChanged = new RememberedWarnings[(String, String)]

  /**
   * Warns of an index that knows most files no more, as the file system tells them from those that it is of.
   *
   * @param changed
   *   number of those files
   * @param asked
   *   number of files that the statistics alone would leave out
   */
  def warnOfChanged(table: String, version: String, changed: Int, asked: Int): Unit =
    if (warnedOfChanged.isNew((table, version)))
      logWarning(
        s"$changed of $asked files that the $OfIndex of $table, version $version, would leave out of a query are " +
          "read: the file system says that they have changed since, although their names, sizes and times are the " +
          "same. ANALYZE TABLE ... COMPUTE FILE STATISTICS writes the index anew. Of a change of permissions or " +
          "owners alone, such as Kubernetes' fsGroup makes when a pod starts (fsGroupChangePolicy: OnRootMismatch " +
          "avoids it), and of a copy the file system says the same."
      )
}
