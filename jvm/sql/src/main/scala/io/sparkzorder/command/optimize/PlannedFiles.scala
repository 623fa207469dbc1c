// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.format.Clustering
import io.sparkzorder.sampling.JointSample

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Which rows of a rewrite go into which file, decided before one of them is written. */
private[command] trait PlannedFiles {

  /** The rows in the order and the tasks in which they are to be written. */
  def rows: LogicalPlan

  /**
   * Gives what to record of a file, by the task that wrote it and its partition.
   *
   * @param clustering
   *   the record of files that belong to no layer
   */
  def clusteringOf(clustering: Clustering): PlannedFiles.ClusteringOf

  /** The rows that were drawn to plan by, with the keys of the z-order columns. */
  def sample: JointSample

  /** The layout that the files will give. */
  def estimate: LayoutAfter
}

private[command] object PlannedFiles {

  /** By the number of the task that wrote a file, where it is known, and the file's partition. */
  type ClusteringOf = (Option[Int], InternalRow) => Option[Clustering]
}
