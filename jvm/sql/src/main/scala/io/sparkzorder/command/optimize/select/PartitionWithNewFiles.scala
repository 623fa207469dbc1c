// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.optimize.input.KeyedRows
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.{FileBox, IncrementalPlan, IncrementalPlanner, RegionTree, Sections}
import io.sparkzorder.types.{KeyScale, KeyType}

/**
 * A partition of clustered files to which new files have been added.
 *
 * @param clustered
 *   files that earlier runs laid out by the same columns and curve, one or more
 * @param unclustered
 *   new files, which no run has laid out yet, one or more
 */
private[command] class PartitionWithNewFiles(
    columns: Seq[ZOrderColumn],
    clustered: IndexedSeq[DataFile],
    unclustered: IndexedSeq[DataFile]) {
  import PartitionWithNewFiles._

  private val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  // A file without bounds belongs to no region: it stays as it is.
  private val placed: IndexedSeq[(DataFile, FileBounds)] =
    clustered.flatMap(f => FileBounds.of(f, columns).map(f -> _))
  private val (layers, own) = placed.partition(_._1.clustering.exists(_.isLayer))

  private val firstScales = scales(IndexedSeq.fill(keyTypes.size)(Array.empty[Any]))

  /** Layer files that overlap hardly any other file count as clustered ones. */
  private val (isolated, overlapping) = {
    val (ownBoxes, layerBoxes) = (own.map(box(_, firstScales)), layers.map(box(_, firstScales)))
    def isIsolated(i: Int) = ownBoxes.map(layerBoxes(i).shareWithin).sum < IsolatedShare &&
      layerBoxes.indices.forall(j => j == i || layerBoxes(i).shareWithin(layerBoxes(j)) < IsolatedShare)
    val (in, out) = layers.indices.partition(isIsolated)
    (in.map(layers), out.map(layers))
  }
  private val base = own ++ isolated
  private val baseBoxes = base.map(box(_, firstScales))
  private val tree = if (base.isEmpty) None else Some(RegionTree.of(baseBoxes))

  /** Layer files that lie in one region, with its number; those across regions count as new files. */
  private val (regionLayers, across) = {
    val regions = overlapping.map(f => tree.flatMap(regionOf(_, box(f, firstScales))))
    val (in, over) = overlapping.zip(regions).partition(_._2.isDefined)
    (in.map { case (f, region) => f -> region.get }, over.map(_._1._1))
  }

  /** The files to rewrite in any case. */
  val arrived: IndexedSeq[DataFile] = unclustered ++ across

  /**
   * @param sample
   *   per column, keys of rows of `arrived`
   * @param areOrdered
   *   whether the new files should be ordered within: then they may stay as they are, as the files of a layer, if their
   *   ranges allow
   * @return
   *   None where every file stays
   */
  def work(
      sample: IndexedSeq[Array[Any]],
      curve: Curve,
      targetFileBytes: Long,
      areOrdered: Boolean): Option[RewriteGroup] = tree match {
    case None => Some(RewriteGroup(arrived, clustered.filterNot(arrived.toSet), Sections.layer, None))
    case Some(tree) =>
      val scale = scales(sample)
      val boxes = base.map(box(_, scale))
      val coordinates = sample.zip(scale).map { case (keys, s) => keys.map(s.place) }
      val rows = KeyedRows.recorded(arrived).getOrElse(sample.head.length.toLong)
      val bytes = arrived.map(_.liveBytes).sum
      val layerBoxes = regionLayers.map { case (f, region) => box(f, scale) -> region }
      val tableLayers = (own.size until base.size).toSet
      val planner = new IncrementalPlanner(
        tree,
        boxes,
        tableLayers,
        layerBoxes,
        coordinates,
        rows,
        bytes,
        curve,
        targetFileBytes)
      if (areOrdered && mayStay(planner, scale)) None else Some(chosen(tree, planner.choose))
  }

  private def mayStay(planner: IncrementalPlanner, scale: IndexedSeq[KeyScale]): Boolean = {
    val bounds = arrived.flatMap(f => FileBounds.of(f, columns).map(f -> _))
    bounds.size == arrived.size && arrived.forall(f => f.clustering.isEmpty && f.deletedRows == 0) &&
    planner.keeps(bounds.map(box(_, scale)))
  }

  private def chosen(tree: RegionTree, choice: IncrementalPlan): RewriteGroup = {
    val merged = tree.regions.indices.filter(choice.isRewritten).flatMap(tree.regions(_)).map(base(_)._1)
    val rewrittenLayers = regionLayers.indices.filter(choice.regionLayers).map(regionLayers(_)._1._1)
    val rewritten = arrived ++ merged ++ rewrittenLayers
    val kept = clustered.filterNot(rewritten.toSet)
    RewriteGroup(rewritten, kept, division(tree, choice), None)
  }

  /** Groups of merged regions first, then the region layers, then the table layer. */
  private def division(tree: RegionTree, choice: IncrementalPlan): Sections = {
    val groups = choice.groups.max + 1
    val rest = groups + choice.parts.max + 1
    val sectionOf = tree.regions.indices.map { r =>
      if (choice.isMerged(r)) choice.groups(r) else if (choice.withOwnLayer(r)) groups + choice.parts(r) else rest
    }
    val sections = sectionOf.max + 1
    val isLayer = IndexedSeq.tabulate(sections)(_ >= groups)
    if (sections == 1) Sections(isLayer, None)
    else {
      val highs = keyTypes.indices.map(axis => base.map(_._2.high(axis)))
      Sections(isLayer, Some(Sections.route(tree, keyTypes, highs, sectionOf.toArray)))
    }
  }

  private def scales(more: IndexedSeq[Array[Any]]): IndexedSeq[KeyScale] = keyTypes.indices.map { axis =>
    val bounds = placed.iterator.flatMap { case (_, b) => Iterator(b.low(axis), b.high(axis)) }
    KeyScale.of(keyTypes(axis), (bounds ++ more(axis)).filter(_ != null).toIndexedSeq)
  }

  private def box(file: (DataFile, FileBounds), scales: IndexedSeq[KeyScale]): FileBox = {
    val (f, bounds) = file
    FileBox(
      scales.indices.map(axis => scales(axis).place(bounds.low(axis))),
      scales.indices.map(axis => scales(axis).place(bounds.high(axis))),
      f.rows.getOrElse(1L),
      f.liveBytes
    )
  }

  /** The region that holds all of a box. */
  private def regionOf(tree: RegionTree, box: FileBox): Option[Int] = {
    def at(corner: IndexedSeq[Double]) = tree.regionOf((axis, b) => corner(axis) <= baseBoxes(b).high(axis))
    Some(at(box.low)).filter(_ == at(box.high))
  }
}

private[command] object PartitionWithNewFiles {

  // A layer file of which less than this share overlaps other files counts as a clustered file.
  private val IsolatedShare = 0.25
}
