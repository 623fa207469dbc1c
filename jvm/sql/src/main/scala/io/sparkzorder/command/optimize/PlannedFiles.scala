// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.format.{Clustering, ClusteringOf}
import io.sparkzorder.sampling.JointSample

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Which rows of a rewrite go into which file, decided before one of them is written. */
private[command] trait PlannedFiles {

  /** The rows in the order and the tasks in which they are to be written. */
  def rows: LogicalPlan

  /**
   * Gives what to record of the files.
   *
   * @param clustering
   *   the record of files that belong to no layer
   */
  def clusteringOf(clustering: Clustering): ClusteringOf

  /** The rows that were drawn to plan by, with the keys of the z-order columns. */
  def sample: JointSample

  /** The layout that the files will give. */
  def estimate: LayoutAfter
}
