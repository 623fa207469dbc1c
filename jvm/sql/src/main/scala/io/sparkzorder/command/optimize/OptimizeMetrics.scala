// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.types.{ArrayType, StructType}

/**
 * The `metrics` column of OPTIMIZE: field by field, in order and type, the struct that Delta's own OPTIMIZE returns, so
 * that whoever reads that goes on working. A test compares the two schemas. Sizes in bytes, times in milliseconds since
 * 1970; fields that have no meaning here keep Delta's zero or null.
 */
final case class OptimizeMetrics(
    numFilesAdded: Long,
    numFilesRemoved: Long,
    filesAdded: FileSizeMetrics,
    filesRemoved: FileSizeMetrics,
    partitionsOptimized: Long,
    zOrderStats: Option[ZOrderStats],
    clusteringStats: Option[ClusteringStats] = None,
    numBins: Long,
    numBatches: Long,
    totalConsideredFiles: Long,
    totalFilesSkipped: Long = 0,
    preserveInsertionOrder: Boolean = false,
    numFilesSkippedToReduceWriteAmplification: Long = 0,
    numBytesSkippedToReduceWriteAmplification: Long = 0,
    startTimeMs: Long,
    endTimeMs: Long,
    totalClusterParallelism: Long,
    totalScheduledTasks: Long = 0,
    autoCompactParallelismStats: Option[ParallelismMetrics] = None,
    deletionVectorStats: Option[DeletionVectorStats] = None,
    numTableColumns: Long,
    numTableColumnsWithStats: Long)

object OptimizeMetrics {
  val schema: StructType = Encoders.product[OptimizeMetrics].schema
}

/** Sizes of a set of files, in bytes. */
final case class FileSizeMetrics(min: Option[Long], max: Option[Long], avg: Double, totalFiles: Long, totalSize: Long)

object FileSizeMetrics {
  def of(sizes: Seq[Long]): FileSizeMetrics =
    FileSizeMetrics(
      sizes.minOption,
      sizes.maxOption,
      if (sizes.isEmpty) 0.0 else sizes.sum.toDouble / sizes.size,
      sizes.size,
      sizes.sum)
}

final case class ZOrderFileStats(num: Long, size: Long)

/** What a z-order run took in; "all" files, or those of an "incremental" run. Each partition becomes one cube. */
final case class ZOrderStats(
    strategyName: String,
    inputCubeFiles: ZOrderFileStats,
    inputOtherFiles: ZOrderFileStats,
    inputNumCubes: Long,
    mergedFiles: ZOrderFileStats,
    numOutputCubes: Long,
    mergedNumCubes: Option[Long] = None)

/** Only Delta's liquid clustering fills this. */
final case class ClusteringStats(
    inputZCubeFiles: ClusteringFileStats,
    inputOtherFiles: ClusteringFileStats,
    inputNumZCubes: Long,
    mergedFiles: ClusteringFileStats,
    numOutputZCubes: Long)

final case class ClusteringFileStats(numFiles: Long, size: Long)

/** Only Delta's auto compaction fills this. */
final case class ParallelismMetrics(
    maxClusterActiveParallelism: Option[Long] = None,
    minClusterActiveParallelism: Option[Long] = None,
    maxSessionActiveParallelism: Option[Long] = None,
    minSessionActiveParallelism: Option[Long] = None)

final case class DeletionVectorStats(numDeletionVectorsRemoved: Long, numDeletionVectorRowsRemoved: Long)

/**
 * The gain of an OPTIMIZE for one z-order column: an element of its `layout` column.
 *
 * Shares are of files, 0 to 1, for a point lookup of a value drawn from the rows; null where no value was seen. Depths
 * are in files, 1 or more.
 */
final case class LayoutGain(
    column: String,
    point_read_share_before: Option[Double],
    point_read_share_after: Option[Double],
    average_depth_before: Double,
    average_depth_after: Double)

object LayoutGain {
  val schema: ArrayType = ArrayType(Encoders.product[LayoutGain].schema, containsNull = false)
}
