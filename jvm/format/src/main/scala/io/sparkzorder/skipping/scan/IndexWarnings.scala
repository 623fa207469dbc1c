// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging

/** Warns of statistics indexes that cannot be used: once for each table and version. */
private[skipping] object IndexWarnings extends Logging {

  private val warned = ConcurrentHashMap.newKeySet[(String, Option[String])]()

  // A session may meet any number of versions; to warn once more does no harm.
  private val remembered = 10000

  /**
   * @param version
   *   None where not even that could be read
   */
  def warn(table: String, version: Option[String], cause: Throwable): Unit = {
    if (warned.size >= remembered) warned.clear()
    if (warned.add((table, version)))
      logWarning(
        s"The statistics index of $table${version.fold("")(v => s", version $v,")} cannot be used: queries read all its " +
          "files. ANALYZE TABLE ... COMPUTE FILE STATISTICS recreates it.",
        cause
      )
  }
}
