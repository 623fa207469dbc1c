// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.parquet.log

import java.util.concurrent.ConcurrentHashMap

import io.sparkzorder.format.ListedFile

import org.apache.spark.internal.Logging

/** Warns of files that a rewrite had replaced and that are there again, as after a restore: once for each set of them. */
private[parquet] object RestoredFiles extends Logging {

  private val warned = ConcurrentHashMap.newKeySet[(String, Int)]()

  // To warn once more does no harm.
  private val remembered = 10000
  private val named = 5

  /**
   * @param table
   *   the table's folder
   * @param listed
   *   the files that are read
   * @return
   *   some of these files, where files that came in their place are read, too
   */
  def warn(table: String, state: LogState, listed: => Set[ListedFile]): Seq[String] =
    if (!state.rewrites.exists(_.moved.nonEmpty)) Nil
    else {
      val (files, isDoubled) = ListingCheck.restored(state, listed)
      if (warned.size >= remembered) warned.clear()
      if (files.nonEmpty && warned.add((table, files.hashCode))) {
        val what = if (files.size == 1) "1 file" else s"${files.size} files"
        val some = files.take(named).mkString(", ") + (if (files.size > named) ", ..." else "")
        val rows =
          if (isDoubled)
            "Files that came in their place are there, too: THEIR ROWS ARE DOUBLED. Delete the ones or the others."
          else "Their rows are read."
        logWarning(s"$table: $what that OPTIMIZE had replaced are there again, as after a restore ($some). $rows")
      }
      if (isDoubled) files.take(named) else Nil
    }
}
