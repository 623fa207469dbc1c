// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.curve.Curve
import io.sparkzorder.layout.FileCuts

/**
 * Chooses what an incremental run rewrites of a clustered partition to which new files have been added.
 *
 * A layer is a set of files that an incremental run wrote over clustered files which it left as they were: the ranges
 * of both overlap, so a point lookup reads both, until a later run merges them. This is how a log-structured merge tree
 * takes new records without rewriting the old ones (P. O'Neil, E. Cheng, D. Gawlick, E. O'Neil, "The log-structured
 * merge-tree (LSM-tree)", Acta Informatica 33, 1996). A table layer spans the partition, a region layer stays within
 * one region of its clustered files.
 *
 * Rewriting the new files alone is cheapest, but makes them a layer over all the clustered ones. So the planner tries
 * choices in memory, in the order of the bytes they rewrite, until one keeps point lookups near what a full run would
 * give. The choices are:
 *   - the new files become one table layer, alone or with table layers of earlier runs;
 *   - the new files are divided by regions, into files of about the target size as long as point lookups allow, in the
 *     end into a small region layer for each region; regions with large layers are merged with them, a few each time;
 *   - more and more regions are merged, those with the largest layers first, in the end all: a full run.
 *
 * @param base
 *   the clustered files; regions are built on them
 * @param tableLayers
 *   numbers of those files of `base` that earlier runs wrote as layers over the whole partition
 * @param regionLayers
 *   small files that earlier runs wrote as layers over one region, each with the region's number
 * @param arrivals
 *   per axis, coordinates of a sample of the new files' rows
 * @param arrivedRows
 *   number of rows for which the sample stands
 * @param arrivedBytes
 *   size of the new files
 */
final class IncrementalPlanner(
    tree: RegionTree,
    base: IndexedSeq[FileBox],
    tableLayers: Set[Int],
    regionLayers: IndexedSeq[(FileBox, Int)],
    arrivals: IndexedSeq[Array[Double]],
    arrivedRows: Long,
    arrivedBytes: Long,
    curve: Curve,
    targetBytes: Long) {
  import IncrementalPlanner._

  private val regions = tree.regions.indices
  private val points = new SimulationPoints(base ++ regionLayers.map(_._1), arrivals, arrivedRows)
  private val trial = new LayoutSimulation(points.coordinates, curve)

  private val arrivedRegion: Array[Int] =
    points.arrived.map(p => tree.regionOf((axis, box) => points.coordinates(axis)(p) <= base(box).high(axis))).toArray
  private val arrivedIn: Array[Double] = {
    val bytes = new Array[Double](regions.size)
    arrivedRegion.foreach(bytes(_) += arrivedBytes.toDouble / points.arrived.size)
    bytes
  }
  private val layersOf = regionLayers.indices.groupBy(regionLayers(_)._2).withDefaultValue(IndexedSeq.empty)
  private val layerBytes = regions.map(r => layersOf(r).map(regionLayers(_)._1.bytes).sum)
  private val baseBytes = regions.map(r => tree.regions(r).map(base(_).bytes).sum)

  private val everything = choice(regions.toSet, Set.empty, None)
  private lazy val mostRead = MaxShare * trial.readShare(trial.files(points.all, filesOf(everything.bytes)))

  def choose: IncrementalPlan =
    candidates.sortBy(_.bytes).find(c => c.bytes < everything.bytes && shareAfter(c) <= mostRead).getOrElse(everything)

  /** Whether the new files may stay as they are, as a table layer. */
  def keeps(newFiles: IndexedSeq[FileBox]): Boolean =
    trial.readShare(base ++ regionLayers.map(_._1) ++ newFiles) <= mostRead

  private def candidates: Seq[IncrementalPlan] = {
    val active = regions.filter(arrivedIn(_) > 0)
    val toMerge = within(active.filter(ratio(_) >= MergeRatio).sortBy(-ratio(_)), budget)
    val densest = tree.byDensity(rs => rs.map(unmerged).sum / math.max(1.0, rs.map(baseBytes(_).toDouble).sum))
    val budgets = Iterator.iterate(budget)(_ * 2).takeWhile(_ < 2 * baseBytes.sum).toSeq
    val joined = budgets.map(within(densest.filter(r => tree.regions(r).forall(tableLayers)), _)).distinct
    val merged = budgets.map(toMerge ++ within(densest.filter(arrivedIn(_) > 0), _)).distinct
    (Set.empty[Int] +: joined).distinct.map(choice(Set.empty, _, None)) ++
      (toMerge +: merged).distinct.flatMap(parted)
  }

  /** As many regions, from the first, as together have no more bytes than these. */
  private def within(order: Seq[Int], bytes: Double): Set[Int] =
    order.zip(order.map(baseBytes(_).toDouble).scanLeft(0.0)(_ + _).tail).takeWhile(_._2 <= bytes).map(_._1).toSet

  private def budget: Double = MergedPerArrived * math.max(1L, arrivedBytes)

  /** Bytes of new files and of layers over a region. */
  private def unmerged(region: Int): Double = arrivedIn(region) + layerBytes(region)

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
      if (partBytes.isEmpty) Set.empty[Int] else regions.filter(r => !merged(r) && arrivedIn(r) > 0).toSet
    val rewrittenLayers = regionLayers.indices.filter { l =>
      val region = regionLayers(l)._2
      def isSmall = layerBytes(region) <= KeptLayer * arrivedIn(region) || layersOf(region).size >= MaxLayers
      merged(region) || joined(region) || (withOwnLayer(region) && isSmall)
    }.toSet
    val bytes = arrivedBytes + (merged ++ joined).toSeq.map(baseBytes(_).toDouble).sum +
      rewrittenLayers.toSeq.map(regionLayers(_)._1.bytes.toDouble).sum
    val rewrittenIn = rewrittenLayers.toSeq.groupMapReduce(regionLayers(_)._2)(regionLayers(_)._1.bytes.toDouble)(_ + _)
    def weight(region: Int) = arrivedIn(region) + rewrittenIn.getOrElse(region, 0.0)
    val parts = tree.parted(withOwnLayer, weight, partBytes.getOrElse(0.0))
    IncrementalPlan(tree.grouped(merged).toIndexedSeq, joined, withOwnLayer, parts.toIndexedSeq, rewrittenLayers, bytes)
  }

  /** The share of files that a point lookup reads after the run. */
  private def shareAfter(choice: IncrementalPlan): Double = {
    // Any number will do, as long as the regions of a section share it: of a group from 0 on, of a part from -2 down, and -1
    // for the table layer.
    def section(region: Int) =
      if (choice.isMerged(region)) choice.groups(region)
      else if (choice.withOwnLayer(region)) -2 - choice.parts(region) else -1
    val rewritten = regions.filter(choice.isRewritten)
    val moved = points.arrived.zip(arrivedRegion) ++
      rewritten.flatMap(r => tree.regions(r).flatMap(points.of).map(_ -> r)) ++
      choice.regionLayers.toSeq.flatMap(l => points.of(base.size + l).map(_ -> regionLayers(l)._2))
    val bytes = regions.map(r => r -> arrivedIn(r)) ++ rewritten.map(r => r -> baseBytes(r).toDouble) ++
      choice.regionLayers.toSeq.map(l => regionLayers(l)._2 -> regionLayers(l)._1.bytes.toDouble)
    val bytesOf = bytes.groupMapReduce(b => section(b._1))(_._2)(_ + _)
    val written = moved.groupMap(p => section(p._2))(_._1).toIndexedSeq.flatMap { case (s, ps) =>
      trial.files(ps.toArray, filesOf(bytesOf(s)))
    }
    val kept = regions.filterNot(choice.isRewritten).flatMap(tree.regions(_)).map(base) ++
      regionLayers.indices.filterNot(choice.regionLayers).map(regionLayers(_)._1)
    trial.readShare(kept ++ written)
  }

  private def filesOf(bytes: Double): Int = FileCuts.files(bytes, targetBytes)
}

object IncrementalPlanner {

  // The most that a point lookup may read, relative to a full run; estimates err, and users are promised 1.15.
  private val MaxShare = 1.12

  // Bytes of clustered files that a run rewrites for each new byte, unless the share asks for more.
  private val MergedPerArrived = 3.0

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
 *   per region the number of the group of regions that is rewritten as a whole, or -1 where it is not
 * @param joined
 *   regions of earlier table layers that are rewritten with the new files into one table layer
 * @param withOwnLayer
 *   regions that stay and get their new rows as region layers, outside of the table layer
 * @param parts
 *   per region of `withOwnLayer` the number, from 0, of the part that it shares files with; -1 for the other regions
 * @param regionLayers
 *   numbers of the earlier region layers to rewrite
 * @param bytes
 *   number of bytes to rewrite
 */
final case class IncrementalPlan(
    groups: IndexedSeq[Int],
    joined: Set[Int],
    withOwnLayer: Set[Int],
    parts: IndexedSeq[Int],
    regionLayers: Set[Int],
    bytes: Double) {

  def isMerged(region: Int): Boolean = groups(region) >= 0

  /** Whether the files of a region are rewritten. */
  def isRewritten(region: Int): Boolean = isMerged(region) || joined(region)
}
