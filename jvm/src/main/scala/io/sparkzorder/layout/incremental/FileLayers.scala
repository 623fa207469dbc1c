// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

/**
 * The clustered files of a partition: those that regions are built on, and those that lie over them.
 *
 * @param own
 *   files that were laid out beside one another
 * @param layers
 *   files that were written as a layer over others
 */
final class FileLayers(own: IndexedSeq[FileBox], layers: IndexedSeq[FileBox]) {
  import FileLayers._

  /** Numbers of the layer files that overlap hardly any other file: they count as clustered ones. */
  val isolated: IndexedSeq[Int] = {
    def isIsolated(i: Int) = own.map(layers(i).shareWithin).sum < IsolatedShare &&
      layers.indices.forall(j => j == i || layers(i).shareWithin(layers(j)) < IsolatedShare)
    layers.indices.filter(isIsolated)
  }

  private val base = own ++ isolated.map(layers)

  /** The regions of `own`, followed by the isolated layer files; None where there is neither. */
  val tree: Option[RegionTree] = if (base.isEmpty) None else Some(RegionTree.of(base))

  /** Numbers of the other layer files, with the region that each lies in, if it lies in one. */
  val overlapping: IndexedSeq[(Int, Option[Int])] = {
    val alone = isolated.toSet
    layers.indices.filterNot(alone).map(i => i -> tree.flatMap(regionOf(_, layers(i))))
  }

  /** The region that holds all of a box. */
  private def regionOf(tree: RegionTree, box: FileBox): Option[Int] = {
    def at(corner: IndexedSeq[Double]) = tree.regionOf((axis, b) => corner(axis) <= base(b).high(axis))
    Some(at(box.low)).filter(_ == at(box.high))
  }
}

object FileLayers {

  // A layer file of which less than this share overlaps other files counts as a clustered file.
  private val IsolatedShare = 0.25
}
