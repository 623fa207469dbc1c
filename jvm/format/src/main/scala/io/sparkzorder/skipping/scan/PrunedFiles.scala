// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.scan

import org.apache.spark.sql.catalyst.InternalRow

/**
 * The files that a statistics index left out of a listing.
 *
 * @param byPartition
 *   number of files left out of each partition, by its values
 * @param nanos
 *   time that it took, the loading of the index included
 */
final case class PrunedFiles(byPartition: Seq[(InternalRow, Int)], nanos: Long) {

  /** Files left out of the partitions that `read` accepts. */
  def count(read: InternalRow => Boolean): Long =
    byPartition.iterator.collect { case (values, files) if read(values) => files.toLong }.sum
}

object PrunedFiles {
  val none: PrunedFiles = PrunedFiles(Nil, 0)
}
