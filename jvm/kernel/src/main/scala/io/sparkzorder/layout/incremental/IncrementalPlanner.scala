// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.{CellAspect, FileCuts}

/**
 * Chooses what an incremental run rewrites of a clustered partition to which new files have been added.
 *
 * A layer is a set of files that an incremental run wrote over clustered files which it left as they were: the ranges
 * of both overlap, so a point lookup reads both, until a later run merges them. This is how a log-structured merge tree
 * takes new records without rewriting the old ones (P. O'Neil, E. Cheng, D. Gawlick, E. O'Neil, "The log-structured
 * merge-tree (LSM-tree)", Acta Informatica 33, 1996). A table layer spans the partition, a region layer stays within
 * one region of its clustered files.
 *
 * How a section is cut is chosen, too: rows of one day among those of a year are cut by the other columns first
 * ([[io.sparkzorder.layout.CellAspect]]), so that a lookup by these reads one file more for each day, not several.
 *
 * Rewriting the new files alone is cheapest, but makes them a layer over all the clustered ones. So the planner tries
 * choices in memory, in the order of the bytes they rewrite, until one keeps point lookups near what a full run would
 * give. The choices are:
 *   - the new files become one table layer, alone or with table layers of earlier runs;
 *   - the new files are divided by regions, into files of about the target size as long as point lookups allow, in the
 *     end into a small region layer for each region; regions with large layers are merged with them, a few each time;
 *   - more and more regions are merged, those with the largest layers first, in the end all: a full run.
 *
 * @param clustered
 *   the clustered files, with their regions
 * @param newRows
 *   the rows of the new files
 */
final class IncrementalPlanner(clustered: ClusteredRegions, newRows: NewRows, curve: Curve, targetBytes: Long) {
  import IncrementalPlanner._
  import clustered.{base, regionLayers, tableLayers, tree}

  private val regions = tree.regions.indices
  private val points = new SimulationPoints(clustered.boxes, newRows)
  private val trial = new LayoutSimulation(points.coordinates, curve)

  private val newRegions: Array[Int] =
    points.ofNewRows.map(p => clustered.regionOf(points.coordinates(_)(p))).toArray
  private val newBytesIn: Array[Double] = {
    val bytes = new Array[Double](regions.size)
    newRegions.foreach(bytes(_) += newRows.bytes.toDouble / points.ofNewRows.size)
    bytes
  }
  private val layersOf = regionLayers.indices.groupBy(regionLayers(_)._2).withDefaultValue(IndexedSeq.empty)
  private val layerBytes = regions.map(r => layersOf(r).map(regionLayers(_)._1.bytes).sum)
  private val baseBytes = regions.map(r => tree.regions(r).map(base(_).bytes).sum)

  private val everything = choice(regions.toSet, Set.empty, None)
  private lazy val (fullFiles, fullShares) = {
    val more = new SimulationPoints(clustered.boxes, newRows, SimulationPoints.PerFileOfCells)
    val full = new LayoutSimulation(more.coordinates, curve)
    val count = filesOf(everything.bytes)
    // Where a few more files would be cells of half the size, a run may come to them: estimates err.
    val nearby = Seq(count, math.round(count * 1.04).toInt).distinct.map(full.files(more.all, _, CellAspect.Even))
    (nearby.head.size, nearby.map(full.readShares(_)).transpose.map(_.min).toIndexedSeq)
  }

  def choose: IncrementalPlan =
    candidates.filter(_.bytes < everything.bytes).sortBy(_.bytes).iterator.flatMap(sufficient(_)).nextOption()
      .getOrElse(everything)

  /** Whether the new files may stay as they are, as a table layer. */
  def keeps(newFiles: IndexedSeq[FileBox]): Boolean =
    suffice(trial.readShares(clustered.boxes ++ newFiles))

  /** The choice with the first aspects of its sections by which point lookups read few enough files, if any. */
  private def sufficient(choice: IncrementalPlan): Option[IncrementalPlan] = {
    val sections = new PlannedSections(choice)
    val natural = sections.aspects(members => CellAspect.ofExtents(trial.extents(members)))
    val shares = sections.sharesAfter(natural)
    if (suffice(shares)) Some(choice.copy(aspects = natural))
    else {
      val worst = shares.indices.maxBy(axis => shares(axis) / fullShares(axis))
      val finer = natural.map(_.finer(worst))
      if (suffice(sections.sharesAfter(finer))) Some(choice.copy(aspects = finer)) else None
    }
  }

  /** Whether point lookups read little more than after a full run: by each column, or among few files on the average. */
  private def suffice(shares: IndexedSeq[Double]): Boolean =
    if (fullFiles < FewFiles) shares.sum <= MaxShare * fullShares.sum
    else shares.zip(fullShares).forall { case (share, full) => share <= MaxShare * full }

  private def candidates: Seq[IncrementalPlan] = {
    val active = regions.filter(newBytesIn(_) > 0)
    val toMerge = within(active.filter(ratio(_) >= MergeRatio).sortBy(-ratio(_)), budget)
    val densest = tree.byDensity(rs => rs.map(unmerged).sum / math.max(1.0, rs.map(baseBytes(_).toDouble).sum))
    val budgets = Iterator.iterate(budget)(_ * 2).takeWhile(_ < 2 * baseBytes.sum).toSeq
    val joined = budgets.map(within(densest.filter(r => tree.regions(r).forall(tableLayers)), _)).distinct
    val merged = budgets.map(toMerge ++ within(densest.filter(newBytesIn(_) > 0), _)).distinct
    (Set.empty[Int] +: joined).distinct.map(choice(Set.empty, _, None)) ++
      (toMerge +: merged).distinct.flatMap(parted)
  }

  /** As many regions, from the first, as together have no more bytes than these. */
  private def within(order: Seq[Int], bytes: Double): Set[Int] =
    order.zip(order.map(baseBytes(_).toDouble).scanLeft(0.0)(_ + _).tail).takeWhile(_._2 <= bytes).map(_._1).toSet

  private def budget: Double = MergedPerNewByte * math.max(1L, newRows.bytes)

  /** Bytes of new files and of layers over a region. */
  private def unmerged(region: Int): Double = newBytesIn(region) + layerBytes(region)

  private def ratio(region: Int): Double = unmerged(region) / math.max(1L, baseBytes(region))

  /** Ways to divide the new files over the regions that are not merged, the fewest files first. */
  private def parted(merged: Set[Int]): Seq[IncrementalPlan] =
    PartSizes.map(size => choice(merged, Set.empty, Some(size * targetBytes))).distinctBy(_.parts)

  /**
   * @param partBytes
   *   the most bytes of a region layer that the new files become where regions stay; None for one table layer
   */
  private def choice(merged: Set[Int], joined: Set[Int], partBytes: Option[Double]): IncrementalPlan = {
    val withOwnLayer =
      if (partBytes.isEmpty) Set.empty[Int] else regions.filter(r => !merged(r) && newBytesIn(r) > 0).toSet
    val rewrittenLayers = regionLayers.indices.filter { l =>
      val region = regionLayers(l)._2
      def isSmall = layerBytes(region) <= KeptLayer * newBytesIn(region) || layersOf(region).size >= MaxLayers
      merged(region) || joined(region) || (withOwnLayer(region) && isSmall)
    }.toSet
    val bytes = newRows.bytes + (merged ++ joined).toSeq.map(baseBytes(_).toDouble).sum +
      rewrittenLayers.toSeq.map(regionLayers(_)._1.bytes.toDouble).sum
    val rewrittenIn = rewrittenLayers.toSeq.groupMapReduce(regionLayers(_)._2)(regionLayers(_)._1.bytes.toDouble)(_ + _)
    def weight(region: Int) = newBytesIn(region) + rewrittenIn.getOrElse(region, 0.0)
    val parts = tree.parted(withOwnLayer, weight, partBytes.getOrElse(0.0))
    IncrementalPlan(tree.grouped(merged), joined, parts, rewrittenLayers, bytes).evenly
  }

  /** The points and bytes of a choice's sections. */
  private final class PlannedSections(choice: IncrementalPlan) {
    private val rewritten = regions.filter(choice.isRewritten)

    private val members: Map[Int, Array[Int]] = {
      val moved = points.ofNewRows.zip(newRegions) ++
        rewritten.flatMap(r => tree.regions(r).flatMap(points.of).map(_ -> r)) ++
        choice.regionLayers.toSeq.flatMap(l => points.of(base.size + l).map(_ -> regionLayers(l)._2))
      moved.groupMap(p => choice.sectionOf(p._2))(_._1).map { case (s, ps) => s -> ps.toArray }
    }

    private val bytes: Map[Int, Double] = {
      val of = regions.map(r => r -> newBytesIn(r)) ++ rewritten.map(r => r -> baseBytes(r).toDouble) ++
        choice.regionLayers.toSeq.map(l => regionLayers(l)._2 -> regionLayers(l)._1.bytes.toDouble)
      of.groupMapReduce(b => choice.sectionOf(b._1))(_._2)(_ + _)
    }

    def aspects(of: Array[Int] => CellAspect): IndexedSeq[CellAspect] =
      IndexedSeq.tabulate(choice.sections)(s => members.get(s).fold(CellAspect.Even)(of))

    private val kept = regions.filterNot(choice.isRewritten).flatMap(tree.regions(_)).map(base) ++
      regionLayers.indices.filterNot(choice.regionLayers).map(regionLayers(_)._1)

    /** Per axis, the share of files that a point lookup reads after the run. */
    def sharesAfter(aspects: IndexedSeq[CellAspect]): IndexedSeq[Double] = {
      val written = members.toIndexedSeq.flatMap { case (s, ps) => trial.files(ps, filesOf(bytes(s)), aspects(s)) }
      trial.readShares(kept ++ written)
    }
  }

  private def filesOf(bytes: Double): Int = FileCuts.files(bytes, targetBytes)
}

object IncrementalPlanner {

  // The most that a point lookup may read by a column, relative to a full run; estimates err, and users are promised 1.15.
  private val MaxShare = 1.12

  // Of fewer files than these a column is not held to a share of its own: each new file would be too much of it.
  private val FewFiles = 4

  // Bytes of clustered files that a run rewrites for each new byte, unless the share asks for more.
  private val MergedPerNewByte = 3.0

  // A region is merged when its layers and new files have this share of its own bytes.
  private val MergeRatio = 0.3

  // A region layer stays when it has more than this many times the bytes that are new over the same region.
  private val KeptLayer = 4

  // Sizes of a part of the new files, as shares of the target; 0 means one part for each region.
  private val PartSizes = Seq(1.0, 0.5, 0.25, 0.125, 0.0)

  // A region has no more layers than these; further new files are rewritten with them into one.
  private val MaxLayers = 3
}

/**
 * What an incremental run rewrites of a partition with new files, besides the new files themselves.
 *
 * @param groups
 *   per region the number of the group of regions that is rewritten as a whole, if it is in one
 * @param joined
 *   regions of earlier table layers that are rewritten with the new files into one table layer
 * @param parts
 *   of regions that stay and get their new rows as region layers, outside of the table layer, the number, from 0, of the part
 *   that each shares files with
 * @param regionLayers
 *   numbers of the earlier region layers to rewrite
 * @param bytes
 *   number of bytes to rewrite
 * @param aspects
 *   per section, how its cells are proportioned
 */
final case class IncrementalPlan(
    groups: IndexedSeq[Option[Int]],
    joined: Set[Int],
    parts: IndexedSeq[Option[Int]],
    regionLayers: Set[Int],
    bytes: Double,
    aspects: IndexedSeq[CellAspect] = IndexedSeq.empty) {
  import IncrementalPlan.count

  private val firstPart = count(groups)
  private val tableLayer = firstPart + count(parts)

  /** The section of a region's rows: groups of merged regions first, then the region layers, then the table layer. */
  def sectionOf(region: Int): Int = groups(region).orElse(parts(region).map(firstPart + _)).getOrElse(tableLayer)

  /** Number of sections. */
  val sections: Int = groups.indices.map(sectionOf).max + 1

  /** Whether the files of a section lie over files that stay. */
  def isLayer(section: Int): Boolean = section >= firstPart

  /** With as many cuts on each axis. */
  private[incremental] def evenly: IncrementalPlan = copy(aspects = IndexedSeq.fill(sections)(CellAspect.Even))

  /** Whether the files of a region are rewritten. */
  def isRewritten(region: Int): Boolean = groups(region).isDefined || joined(region)
}

private object IncrementalPlan {

  private def count(numbers: IndexedSeq[Option[Int]]): Int = numbers.flatten.maxOption.fold(0)(_ + 1)
}
