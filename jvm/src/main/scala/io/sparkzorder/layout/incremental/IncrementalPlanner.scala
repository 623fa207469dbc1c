package io.sparkzorder.layout.incremental

import io.sparkzorder.curve.Curve

/**
 * A clustered partition and what has arrived in it since; chooses what to rewrite.
 *
 * Rewriting only what arrived is cheapest, but lays its files over all the others. So choices are tried in memory, in the
 * order of the bytes they rewrite, until one keeps look-ups near what a full run would give. They are:
 *   - what arrived becomes one layer over the files that stay, alone or with layers of earlier runs;
 *   - what arrived is parted by regions, into files of about the target size as long as look-ups allow, in the end into a
 *     small file above each region, and regions with much above them are merged, as a log-structured merge tree merges
 *     its runs (O'Neil et al. 1996), a few each time;
 *   - more and more regions are merged, those with most above them first, in the end all: a full run.
 *
 * @param base
 *   the clustered files; regions are built on them
 * @param layers
 *   those of `base` that earlier runs wrote as layers
 * @param overlays
 *   small files that lie above a region, each with the region's number
 * @param arrivals
 *   per axis, coordinates of a sample of what arrived
 * @param arrivedRows
 *   rows for which the sample stands
 */
final class IncrementalPlanner(
    tree: RegionTree,
    base: IndexedSeq[FileBox],
    layers: Set[Int],
    overlays: IndexedSeq[(FileBox, Int)],
    arrivals: IndexedSeq[Array[Double]],
    arrivedRows: Long,
    arrivedBytes: Long,
    curve: Curve,
    targetBytes: Long) {
  import IncrementalPlanner._

  private val regions = tree.regions.indices
  private val points = new SimulationPoints(base ++ overlays.map(_._1), arrivals, arrivedRows)
  private val trial = new LayoutSimulation(points.coordinates, curve)

  private val arrivedRegion: Array[Int] =
    points.arrived.map(p => tree.regionOf((axis, box) => points.coordinates(axis)(p) <= base(box).high(axis))).toArray
  private val arrivedIn: Array[Double] = {
    val bytes = new Array[Double](regions.size)
    arrivedRegion.foreach(bytes(_) += arrivedBytes.toDouble / points.arrived.size)
    bytes
  }
  private val overlaysOf = overlays.indices.groupBy(overlays(_)._2).withDefaultValue(IndexedSeq.empty)
  private val overlaid = regions.map(r => overlaysOf(r).map(overlays(_)._1.bytes).sum)
  private val baseBytes = regions.map(r => tree.regions(r).map(base(_).bytes).sum)

  def choose: IncrementalPlan = {
    val everything = choice(regions.toSet, Set.empty, None)
    val full = trial.readShare(trial.files(points.all, filesOf(everything.bytes)))
    candidates.sortBy(
      _.bytes).find(c => c.bytes < everything.bytes && shareAfter(c) <= MaxShare * full).getOrElse(everything)
  }

  private def candidates: Seq[IncrementalPlan] = {
    val active = regions.filter(arrivedIn(_) > 0)
    val due = within(active.filter(ratio(_) >= MergeRatio).sortBy(-ratio(_)), budget)
    val densest = tree.byDensity(rs => rs.map(above).sum / math.max(1.0, rs.map(baseBytes(_).toDouble).sum))
    val budgets = Iterator.iterate(budget)(_ * 2).takeWhile(_ < 2 * baseBytes.sum).toSeq
    val layered = budgets.map(within(densest.filter(r => tree.regions(r).forall(layers)), _)).distinct
    val merged = budgets.map(due ++ within(densest.filter(arrivedIn(_) > 0), _)).distinct
    (Set.empty[Int] +: layered).distinct.map(choice(Set.empty, _, None)) ++
      (due +: merged).distinct.flatMap(parted)
  }

  /** The first of the regions whose files have no more bytes than these. */
  private def within(order: Seq[Int], bytes: Double): Set[Int] =
    order.zip(order.map(baseBytes(_).toDouble).scanLeft(0.0)(_ + _).tail).takeWhile(_._2 <= bytes).map(_._1).toSet

  private def budget: Double = MergedPerArrived * math.max(1L, arrivedBytes)

  private def above(region: Int): Double = arrivedIn(region) + overlaid(region)

  private def ratio(region: Int): Double = above(region) / math.max(1L, baseBytes(region))

  /** Ways to part what arrived above the regions that are not merged, the fewest files first. */
  private def parted(merged: Set[Int]): Seq[IncrementalPlan] =
    PartSizes.map(size => choice(merged, Set.empty, Some(size * targetBytes))).distinctBy(_.parts)

  /** @param partBytes what arrived in regions that stay gets files above them, of so many bytes and less */
  private def choice(merged: Set[Int], layered: Set[Int], partBytes: Option[Double]): IncrementalPlan = {
    val apart = if (partBytes.isEmpty) Set.empty[Int] else regions.filter(r => !merged(r) && arrivedIn(r) > 0).toSet
    val raised = overlays.indices.filter { o =>
      val region = overlays(o)._2
      def isSmall = overlaid(region) <= KeptOverlay * arrivedIn(region) || overlaysOf(region).size >= MaxOverlays
      merged(region) || layered(region) || (apart(region) && isSmall)
    }.toSet
    val bytes = arrivedBytes + (merged ++ layered).toSeq.map(baseBytes(_).toDouble).sum +
      raised.toSeq.map(overlays(_)._1.bytes.toDouble).sum
    val raisedIn = raised.toSeq.groupMapReduce(overlays(_)._2)(overlays(_)._1.bytes.toDouble)(_ + _)
    def weight(region: Int) = arrivedIn(region) + raisedIn.getOrElse(region, 0.0)
    val parts = tree.parted(apart, weight, partBytes.getOrElse(0.0))
    IncrementalPlan(tree.grouped(merged).toIndexedSeq, layered, apart, parts.toIndexedSeq, raised, bytes)
  }

  /** The share of files that a look-up reads afterwards. */
  private def shareAfter(choice: IncrementalPlan): Double = {
    // Any number will do, as long as the regions of a section share it.
    def section(region: Int) =
      if (choice.isMerged(region)) choice.groups(region)
      else if (choice.apart(region)) -2 - choice.parts(region) else -1
    val rewritten = regions.filter(choice.isRewritten)
    val moved = points.arrived.zip(arrivedRegion) ++
      rewritten.flatMap(r => tree.regions(r).flatMap(points.of).map(_ -> r)) ++
      choice.overlays.toSeq.flatMap(o => points.of(base.size + o).map(_ -> overlays(o)._2))
    val bytes = regions.map(r => r -> arrivedIn(r)) ++ rewritten.map(r => r -> baseBytes(r).toDouble) ++
      choice.overlays.toSeq.map(o => overlays(o)._2 -> overlays(o)._1.bytes.toDouble)
    val bytesOf = bytes.groupMapReduce(b => section(b._1))(_._2)(_ + _)
    val written = moved.groupMap(p => section(p._2))(_._1).toIndexedSeq.flatMap { case (s, ps) =>
      trial.files(ps.toArray, filesOf(bytesOf(s)))
    }
    val kept = regions.filterNot(choice.isRewritten).flatMap(tree.regions(_)).map(base) ++
      overlays.indices.filterNot(choice.overlays).map(overlays(_)._1)
    trial.readShare(kept ++ written)
  }

  private def filesOf(bytes: Double): Int = math.max(1L, math.round(bytes / targetBytes)).min(Int.MaxValue).toInt
}

object IncrementalPlanner {

  // Of a full run's share; estimates err, and 1.15 is what users are promised.
  private val MaxShare = 1.12

  // Bytes of clustered files rewritten for each byte that arrived, before the share asks for more.
  private val MergedPerArrived = 3.0

  // Of a region's own bytes: so much above them is merged with them.
  private val MergeRatio = 0.3

  // An overlay so many times what arrived above it stays as it is.
  private val KeptOverlay = 4

  // Of a file above regions, as a share of the target; 0 is one for each region.
  private val PartSizes = Seq(1.0, 0.5, 0.25, 0.125, 0.0)

  // Above a region; with more arriving they become one.
  private val MaxOverlays = 3
}

/**
 * What an incremental run does with a partition that has grown. What has arrived is rewritten in any case.
 *
 * @param groups
 *   per region the number of the group of regions that is rewritten as a whole, or -1 where it is not
 * @param layered
 *   regions of small files that join what arrived in one layer over all that stays
 * @param apart
 *   regions that stay and get files above them for what arrived there, which leaves the layer
 * @param parts
 *   per region of `apart` the number, from 0, of the part that it shares files with; -1 for the others
 * @param overlays
 *   the overlays to rewrite, by number
 * @param bytes
 *   to be rewritten
 */
final case class IncrementalPlan(
    groups: IndexedSeq[Int],
    layered: Set[Int],
    apart: Set[Int],
    parts: IndexedSeq[Int],
    overlays: Set[Int],
    bytes: Double) {

  def isMerged(region: Int): Boolean = groups(region) >= 0

  /** Whether the files of a region are rewritten. */
  def isRewritten(region: Int): Boolean = isMerged(region) || layered(region)
}
