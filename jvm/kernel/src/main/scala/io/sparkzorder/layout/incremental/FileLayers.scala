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

  /** Numbers of the layer files that lie across regions. */
  def across: IndexedSeq[Int] = overlapping.collect { case (layer, None) => layer }

  /** Numbers of the layer files that lie in one region. */
  def inRegions: IndexedSeq[Int] = overlapping.collect { case (layer, Some(_)) => layer }

  /**
   * The clustered files with boxes on another scale; None where there is no region.
   *
   * @param ownBoxes
   *   the boxes of `own`
   * @param layerBoxes
   *   the boxes of `layers`
   */
  def on(ownBoxes: IndexedSeq[FileBox], layerBoxes: IndexedSeq[FileBox]): Option[ClusteredRegions] = tree.map { tree =>
    val base = ownBoxes ++ isolated.map(layerBoxes)
    val regionLayers = overlapping.collect { case (layer, Some(region)) => layerBoxes(layer) -> region }
    ClusteredRegions(tree, base, (own.size until base.size).toSet, regionLayers)
  }

  /** The region that holds all of a box. */
  private def regionOf(tree: RegionTree, box: FileBox): Option[Int] =
    Some(tree.regionOf(base, box.low(_))).filter(_ == tree.regionOf(base, box.high(_)))
}

object FileLayers {

  // A layer file of which less than this share overlaps other files counts as a clustered file.
  private val IsolatedShare = 0.25
}

/**
 * The clustered files of a partition but for layers across regions, which are rewritten in any case.
 *
 * @param base
 *   the files that the tree's regions are built on
 * @param tableLayers
 *   numbers of those files of `base` that earlier runs wrote as layers over the whole partition
 * @param regionLayers
 *   small files that earlier runs wrote as layers over one region, each with the region's number
 */
final case class ClusteredRegions(
    tree: RegionTree,
    base: IndexedSeq[FileBox],
    tableLayers: Set[Int],
    regionLayers: IndexedSeq[(FileBox, Int)]) {

  /** The files of `base`, followed by the region layers. */
  def boxes: IndexedSeq[FileBox] = base ++ regionLayers.map(_._1)

  /** The region of a point. @param coordinate its place by axis */
  def regionOf(coordinate: Int => Double): Int = tree.regionOf(base, coordinate)
}
