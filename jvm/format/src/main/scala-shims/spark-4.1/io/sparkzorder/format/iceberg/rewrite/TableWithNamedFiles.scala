// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.iceberg.rewrite

import io.sparkzorder.format.{Clustering, ClusteringOf}
import io.sparkzorder.format.iceberg.listing.PartitionColumns

import org.apache.iceberg.{BaseTable, HasTableOperations, PartitionSpec, StructLike, Table}
import org.apache.iceberg.io.LocationProvider
import org.apache.spark.sql.catalyst.InternalRow

/** A table whose new files have in their names how they are clustered. */
private[iceberg] object TableWithNamedFiles {

  /**
   * @param partitions
   *   those of the files to be written, all of one spec
   * @param text
   *   what goes before the ending of a file's name
   */
  def of(
      table: Table,
      columns: PartitionColumns,
      partitions: Seq[InternalRow],
      clusteringOf: ClusteringOf,
      text: Clustering => String): Table = table match {
    case known: HasTableOperations =>
      val names = partitions.distinct.flatMap(p => nameOf(p, clusteringOf, text).map(columns.keyOf(p) -> _)).toMap
      new BaseTable(known.operations, table.name) {
        override def locationProvider: LocationProvider = new NamedLocations(super.locationProvider, names)
      }
    // Its files count as new.
    case other => other
  }

  private def nameOf(partition: InternalRow, clusteringOf: ClusteringOf, text: Clustering => String) =
    clusteringOf(None, partition).map(c => NamedLocations.Names(text(c), text(c), Set.empty[Int])).orElse {
      val layers = clusteringOf.layerTasks(partition)
      for {
        some <- layers.headOption
        layer <- clusteringOf(Some(some), partition)
      } yield NamedLocations.Names(text(layer.copy(isLayer = false)), text(layer), layers)
    }
}

/**
 * Where Iceberg puts a file, with more in its name. It is serialized to tasks, by whichever serializer a session has.
 *
 * @param names
 *   by partition, as [[PartitionColumns.keyOf]] gives them
 */
private[iceberg] final class NamedLocations(theirs: LocationProvider, names: Map[String, NamedLocations.Names])
    extends LocationProvider {

  override def newDataLocation(name: String): String = theirs.newDataLocation(named(name, ""))

  override def newDataLocation(spec: PartitionSpec, partition: StructLike, name: String): String =
    theirs.newDataLocation(spec, partition, named(name, PartitionColumns.keyOf(spec, partition)))

  private def named(name: String, partition: String): String = (name, names.get(partition)) match {
    case (NamedLocations.OfTask(start, task, ending), Some(known)) => start + known.of(task.toInt) + ending
    case _ => name
  }
}

private[iceberg] object NamedLocations {

  // As Iceberg names files: the number of the task is the first.
  private val OfTask = """((\d{5,9})-.*)(\.[a-z]+)""".r

  /**
   * What goes into the names of the files of a partition.
   *
   * @param layers
   *   the tasks that write files of layers
   */
  final case class Names(base: String, layer: String, layers: Set[Int]) {
    def of(task: Int): String = if (layers(task)) layer else base
  }
}
