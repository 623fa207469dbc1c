// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.rewrite

import io.sparkzorder.command.optimize.select.RewriteGroup
import io.sparkzorder.format.Clustering
import io.sparkzorder.layout.FileAssignment
import io.sparkzorder.layout.incremental.SectionRouter

import org.apache.spark.sql.catalyst.InternalRow

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
    extends ((Option[Int], InternalRow) => Option[Clustering]) {

  private val numbers: Map[InternalRow, Int] = groups.map(_.partition).zipWithIndex.toMap

  // Sections of one partition never share a task.
  private val layerTasks: Set[(Int, Int)] = (for {
    (partition, number) <- groups.zipWithIndex
    (isLayer, section) <- partition.division.layers.zipWithIndex if isLayer
    task <- assignment.tasksOf(routes.first(number) + section)
  } yield (number, task)).toSet

  /** @return what to record, by task and partition; nothing where the task is not known: the file then counts as new */
  override def apply(task: Option[Int], partition: InternalRow): Option[Clustering] =
    numbers.get(partition).flatMap { number =>
      val layers = groups(number).division.layers
      if (layers.distinct.size == 1) Some(clustering.copy(isLayer = layers.head))
      else task.map(t => clustering.copy(isLayer = layerTasks((number, t))))
    }
}
