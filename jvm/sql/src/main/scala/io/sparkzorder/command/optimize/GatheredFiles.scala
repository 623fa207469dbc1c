// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.format.{ClusterableSnapshot, Clustering, ClusteringOf}
import io.sparkzorder.move.GatherFiles
import io.sparkzorder.sampling.JointSample

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.zorder.SparkInternals

/** The files of a compaction: one of the files of each bin, whose rows come one file after the other. */
private[command] class GatheredFiles(session: SparkSession, snapshot: ClusterableSnapshot, run: RewriteRunner)
    extends PlannedFiles {

  private val bins = run.groups.flatMap(_.bins)

  // At once: files that cannot be rewritten are refused in a dry run, too.
  private val plan = SparkInternals.plan(run.input)

  override def rows: LogicalPlan = {
    ReadSplits.whole(session, bins.flatten.map(_.bytes))
    val partitions = snapshot.partitionSchema.fieldNames.toSeq.map(n => ColumnPath(Seq(n)).in(plan.output))
    GatherFiles(plan.output, bins.map(_.map(_.location)), partitions.map(_.asInstanceOf[Attribute]), plan)
  }

  /** The rows are in no order of a curve's. */
  override def clusteringOf(clustering: Clustering): ClusteringOf = (_, _) => None

  override def sample: JointSample = new JointSample(Array.empty, IndexedSeq.empty)

  override def estimate: LayoutAfter = LayoutAfter(bins.map(_.map(_.liveBytes).sum), Nil)
}
