// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.RunProgress
import io.sparkzorder.command.optimize.select.RewriteGroup
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.{ClusterableSnapshot, Clustering, ClusteringOf}
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.layout.incremental.SectionRouter
import io.sparkzorder.move.ClusterRows
import io.sparkzorder.sampling.{JointSample, KeyedRows, PlannedLayout}

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * The files of a z-order, as the rows of a sample lay them out. Reads the sample, but writes nothing.
 *
 * @param targetFileBytes
 *   the size of the files of a group to aim at
 */
private[command] class ClusteredFiles(
    session: SparkSession,
    snapshot: ClusterableSnapshot,
    run: RewriteRunner,
    columns: Seq[ZOrderColumn],
    curve: Curve,
    targetFileBytes: RewriteGroup => Long,
    progress: RunProgress)
    extends PlannedFiles
    with Logging {
  import run.groups

  private val keyed = new KeyedRows(session, run.input, snapshot.partitionSchema, columns, groups.map(_.partition))
  private val routes = new SectionRouter(groups.map(_.sections))
  private val section = keyed.section(routes)

  private val planned: PlannedLayout = {
    val sample = progress.phase("sample", RunProgress.SampleTime)(keyed.sample(run.expectedRows, section))
    progress.add(RunProgress.RowsSampled, sample.rows)
    val planned = progress.phase("plan", RunProgress.PlanTime) {
      PlannedLayout.plan(columns, curve, sample, groups.map(g => g.toPlan(targetFileBytes(g))))
    }
    logInfo(s"z-order of ${run.tableName}: ${planned.plan}")
    planned
  }

  private lazy val assignment = FileAssignment.of(planned.plan, session.sparkContext.defaultParallelism)

  override def sample: JointSample = planned.sample

  override def estimate: LayoutAfter = LayoutEstimate.of(planned)

  override def rows: LogicalPlan =
    ClusterRows(
      keyed.plan.output,
      section,
      keyed.columnsInRow,
      planned.ranks,
      planned.curve,
      assignment,
      keyed.partitionColumns.map(_.asInstanceOf[Attribute]),
      keyed.plan
    )

  override def clusteringOf(clustering: Clustering): ClusteringOf =
    new SectionClustering(groups, routes, assignment, clustering)
}

/**
 * Finds the section of each file that was written, and so the clustering to record of it.
 *
 * @param clustering
 *   the record of files that belong to no layer
 */
private[command] class SectionClustering(
    groups: IndexedSeq[RewriteGroup],
    routes: SectionRouter,
    assignment: FileAssignment,
    clustering: Clustering)
    extends ClusteringOf {

  private val numbers: Map[InternalRow, Int] = groups.map(_.partition).zipWithIndex.toMap

  // Sections of one partition never share a task.
  private val tasksOfLayers: IndexedSeq[Set[Int]] = groups.zipWithIndex.map { case (partition, number) =>
    val layers = partition.sections.layers
    layers.indices.filter(layers).flatMap(section => assignment.tasksOf(routes.first(number) + section)).toSet
  }

  override def layerTasks(partition: InternalRow): Set[Int] = numbers.get(partition).fold(Set.empty[Int])(tasksOfLayers)

  /** @return what to record, by task and partition; nothing where the task is not known: the file then counts as new */
  override def apply(task: Option[Int], partition: InternalRow): Option[Clustering] =
    numbers.get(partition).flatMap { number =>
      val layers = groups(number).sections.layers
      if (layers.distinct.size == 1) Some(clustering.copy(isLayer = layers.head))
      else task.map(t => clustering.copy(isLayer = tasksOfLayers(number)(t)))
    }
}
