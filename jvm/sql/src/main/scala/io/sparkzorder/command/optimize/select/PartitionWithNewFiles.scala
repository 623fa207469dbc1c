// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.optimize.select

import io.sparkzorder.column.{KeyScale, KeyType, ZOrderColumn}
import io.sparkzorder.curve.Curve
import io.sparkzorder.format.DataFile
import io.sparkzorder.layout.incremental.{
  FileBox,
  FileLayers,
  IncrementalPlan,
  IncrementalPlanner,
  NewRows,
  RegionTree,
  Sections
}
import io.sparkzorder.layout.measure.ColumnRange

/**
 * A partition of clustered files to which new files have been added.
 *
 * @param clustered
 *   files that earlier runs laid out by the same columns and curve, one or more
 * @param unclustered
 *   files to rewrite whatever is chosen: new ones, which no run has laid out yet, and clustered ones of which many rows are
 *   deleted; one or more
 */
private[command] class PartitionWithNewFiles(
    columns: Seq[ZOrderColumn],
    clustered: IndexedSeq[DataFile],
    unclustered: IndexedSeq[DataFile]) {
  // In each column; NULL is a value, below all others.
  private type Ranges = IndexedSeq[ColumnRange.Within]

  private val keyTypes: IndexedSeq[KeyType] = columns.map(_.keyType).toIndexedSeq

  // A file without bounds belongs to no region: it stays as it is.
  private val placed: IndexedSeq[(DataFile, Ranges)] = withRanges(clustered)
  private val (layers, own) = placed.partition(_._1.clustering.exists(_.isLayer))

  private val firstScales = scales(IndexedSeq.fill(keyTypes.size)(Array.empty[Any]))

  private val found = new FileLayers(own.map(box(_, firstScales)), layers.map(box(_, firstScales)))
  private val base = own ++ found.isolated.map(layers)
  private val regionLayers = found.inRegions.map(layers)

  /** The files to rewrite in any case: new ones, and layers across regions, which count as new. */
  val newFiles: IndexedSeq[DataFile] = unclustered ++ found.across.map(layers(_)._1)

  /**
   * @param sample
   *   per column, keys of rows of `newFiles`
   * @param areOrdered
   *   whether the new files should be ordered within: then they may stay as they are, as the files of a layer, if their
   *   ranges allow
   * @return
   *   None where every file stays
   */
  def group(
      sample: IndexedSeq[Array[Any]],
      curve: Curve,
      targetFileBytes: Long,
      areOrdered: Boolean): Option[RewriteGroup] = {
    val scale = scales(sample)
    found.on(own.map(box(_, scale)), layers.map(box(_, scale))) match {
      case None => Some(RewriteGroup(newFiles, clustered.filterNot(newFiles.toSet), Sections.layer, None))
      case Some(regions) =>
        val coordinates = sample.zip(scale).map { case (keys, s) => keys.map(s.coordinate) }
        val rows = FileSelection.recordedRows(newFiles).getOrElse(estimatedRows(sample.head.length))
        val newRows = NewRows(coordinates, rows, newFiles.map(_.liveBytes).sum)
        val planner = new IncrementalPlanner(regions, newRows, curve, targetFileBytes)
        if (areOrdered && mayStay(planner, scale)) None else Some(chosen(regions.tree, planner.choose))
    }
  }

  private def estimatedRows(sampled: Int): Long = math.max(sampled.toLong, newFiles.map(_.estimatedRows).sum)

  private def mayStay(planner: IncrementalPlanner, scale: IndexedSeq[KeyScale]): Boolean = {
    val known = withRanges(newFiles)
    known.size == newFiles.size && newFiles.forall(f => f.clustering.isEmpty && f.deletedRows == 0) &&
    planner.keeps(known.map(box(_, scale)))
  }

  private def chosen(tree: RegionTree, choice: IncrementalPlan): RewriteGroup = {
    val merged = tree.regions.indices.filter(choice.isRewritten).flatMap(tree.regions(_)).map(base(_)._1)
    val rewrittenLayers = regionLayers.indices.filter(choice.regionLayers).map(regionLayers(_)._1)
    val rewritten = newFiles ++ merged ++ rewrittenLayers
    val kept = clustered.filterNot(rewritten.toSet)
    RewriteGroup(rewritten, kept, sections(tree, choice), None)
  }

  private def sections(tree: RegionTree, choice: IncrementalPlan): Sections = {
    val isLayer = IndexedSeq.tabulate(choice.sections)(choice.isLayer)
    if (choice.sections == 1) Sections(isLayer, choice.aspects, None)
    else {
      val highs = keyTypes.indices.map(axis => base.map(_._2(axis).high))
      val sectionOf = tree.regions.indices.map(choice.sectionOf).toArray
      Sections(isLayer, choice.aspects, Some(Sections.route(tree, keyTypes, highs, sectionOf)))
    }
  }

  private def scales(more: IndexedSeq[Array[Any]]): IndexedSeq[KeyScale] = keyTypes.indices.map { axis =>
    val bounds = placed.iterator.flatMap { case (_, ranges) => Iterator(ranges(axis).low, ranges(axis).high) }
    KeyScale.of(keyTypes(axis), (bounds ++ more(axis)).filter(_ != null).toIndexedSeq)
  }

  /** Those of the files of which the ranges in all columns are known. */
  private def withRanges(files: IndexedSeq[DataFile]): IndexedSeq[(DataFile, Ranges)] =
    files.map(f => f -> columns.flatMap(f.rangeWithNull(_)).toIndexedSeq).filter(_._2.size == columns.size)

  private def box(file: (DataFile, Ranges), scales: IndexedSeq[KeyScale]): FileBox = {
    val (f, ranges) = file
    FileBox(
      scales.indices.map(axis => scales(axis).coordinate(ranges(axis).low)),
      scales.indices.map(axis => scales(axis).coordinate(ranges(axis).high)),
      f.estimatedRows,
      f.liveBytes
    )
  }
}
