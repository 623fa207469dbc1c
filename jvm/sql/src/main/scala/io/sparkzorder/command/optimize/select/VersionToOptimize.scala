// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.config.TargetFileSize
import io.sparkzorder.format.{ClusterableSnapshot, DataFile}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * A version of the table, with the files of each partition among which the statement chooses.
 *
 * @param targetBytes
 *   the size of the files of a partition to aim at
 */
private[command] final case class VersionToOptimize(
    snapshot: ClusterableSnapshot,
    partitions: IndexedSeq[IndexedSeq[DataFile]],
    targetBytes: InternalRow => Long)

private[command] object VersionToOptimize {

  /**
   * @param choosesFiles
   *   whether the predicate chooses files of a partition, not only partitions
   * @param columns
   *   number of z-order columns
   */
  def of(
      snapshot: ClusterableSnapshot,
      predicate: Option[Expression],
      choosesFiles: Boolean,
      size: TargetFileSize,
      columns: Int): VersionToOptimize = {
    val all = FileSelection.byPartition(snapshot.filesOfPartitions(predicate))
    val partitions =
      if (snapshot.needsEmptyFiles) all.filterNot(FileSelection.recordedRows(_).contains(0L)) else all
    // Files that the predicate leaves have their share of the partition.
    lazy val whole = if (choosesFiles) FileSelection.byPartition(snapshot.filesOfPartitions(None)) else partitions
    lazy val bytes = whole.map(files => files.head.partition -> files.map(_.liveBytes).sum).toMap
    def target(partition: InternalRow) = size.bytes(bytes(partition), columns, !snapshot.partitionSchema.isEmpty)
    VersionToOptimize(snapshot, partitions, target)
  }
}
