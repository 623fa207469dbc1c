// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import org.apache.hadoop.fs.Path

/**
 * The statistics of the files that a scan lists, of a format that keeps them in its own log.
 *
 * [[load]] is called while a query runs, never while it is planned. None where there are none, or too many files for
 * the driver's memory.
 */
trait ListedStatistics {
  def load(): Option[StatisticsByPath]

  /** What [[load]] has kept; None before, too. */
  def loaded: Option[StatisticsByPath]
}

/** The statistics of files that are found by their paths. */
trait StatisticsByPath extends FilesWithStatistics {

  /** The number of a file; -1 where nothing is known of it. */
  def find(file: Path): Int
}
