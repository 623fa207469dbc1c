// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import scala.util.Random

import io.sparkzorder.curve.Curve

import org.scalatest.funsuite.AnyFunSuite

class IncrementalPlannerSuite extends AnyFunSuite {

  private val target = 1000L
  private val side = 8

  /** A table of 64 files, each the cell of a grid. */
  private val base = for {
    x <- 0 until side
    y <- 0 until side
  } yield FileBox(
    IndexedSeq(x.toDouble / side, y.toDouble / side),
    IndexedSeq((x + 0.999) / side, (y + 0.999) / side),
    target,
    target)
  private val tree = RegionTree.of(base)

  private def arrivals(count: Int, x: Random => Double, y: Random => Double): IndexedSeq[Array[Double]] = {
    val random = new Random(11)
    IndexedSeq(x, y).map(axis => Array.fill(count)(axis(random)))
  }

  private def choice(
      arrivals: IndexedSeq[Array[Double]],
      files: Double,
      regionLayers: IndexedSeq[(FileBox, Int)] = IndexedSeq.empty): IncrementalPlan = {
    val bytes = (files * target).toLong
    val regions = ClusteredRegions(tree, base, Set.empty, regionLayers)
    new IncrementalPlanner(regions, NewRows(arrivals, bytes, bytes), Curve.of("zorder", 2), target).choose
  }

  private def rewritten(choice: IncrementalPlan): Int = tree.regions.indices.count(choice.isRewritten)

  private def withOwnLayer(choice: IncrementalPlan): Set[Int] =
    choice.parts.indices.filter(choice.parts(_).isDefined).toSet

  test("a few new rows anywhere become one table layer") {
    val chosen = choice(arrivals(500, _.nextDouble(), _.nextDouble()), files = 0.5)
    assert(rewritten(chosen) === 0 && withOwnLayer(chosen).isEmpty && chosen.bytes === 500)
  }

  test("more new rows anywhere become a layer over each region") {
    val chosen = choice(arrivals(6000, _.nextDouble(), _.nextDouble()), files = 6)
    assert(rewritten(chosen) === 0 && withOwnLayer(chosen) === tree.regions.indices.toSet)
  }

  test("very few new rows over a few files, where a table layer would cost much: region layers, but no merge") {
    val few = base.filter(_.high.forall(_ < 0.26))
    val fewTree = RegionTree.of(few)
    val points = arrivals(100, _.nextDouble() / 4, _.nextDouble() / 4)
    val regions = ClusteredRegions(fewTree, few, Set.empty, IndexedSeq.empty)
    val growth = new IncrementalPlanner(regions, NewRows(points, 100, 10), Curve.of("zorder", 2), target)
    assert(growth.choose.bytes === 10 && withOwnLayer(growth.choose).size === few.size)
  }

  /** The number of region layers. */
  private def layersOver(choice: IncrementalPlan): Int = choice.parts.flatten.distinct.size

  /** The number of region layers over a grid of files after new rows, anywhere, of the bytes of so many files. */
  private def layersOver(columns: Int, rows: Int, files: Double): Int = {
    val cells = for {
      x <- 0 until columns
      y <- 0 until rows
    } yield FileBox(
      IndexedSeq(x.toDouble / columns, y.toDouble / rows),
      IndexedSeq((x + 0.999) / columns, (y + 0.999) / rows),
      target,
      target)
    val bytes = (files * target).toLong
    val points = arrivals(3000, _.nextDouble(), _.nextDouble())
    val tree = RegionTree.of(cells)
    val curve = Curve.of("zorder", 2)
    val regions = ClusteredRegions(tree, cells, Set.empty, IndexedSeq.empty)
    val chosen = new IncrementalPlanner(regions, NewRows(points, bytes, bytes), curve, target).choose
    assert(chosen.bytes === bytes)
    layersOver(chosen)
  }

  test("region layers are no more than point lookups need") {
    // A point lookup reads a file of a table layer each time: little among a table's many files, much among few.
    assert(layersOver(8, 8, files = 0.6) === 0)
    // One layer over each region was once the only other way.
    assert(layersOver(8, 4, files = 2) < 32)
    // Each column is held: of few files even a layer over two of them would be too much.
    assert(layersOver(4, 2, files = 0.6) === 8)
  }

  test("new rows beside all clustered files leave those as they are") {
    val chosen = choice(arrivals(6000, r => 1 + r.nextDouble() / 10, _.nextDouble()), files = 6)
    assert(rewritten(chosen) === 0)
  }

  test("regions with large layers are merged, no more than a few times the new bytes") {
    // In one corner the layers of each region have grown to more than half of its own bytes.
    val corner = tree.regions.indices.filter(r => base(tree.regions(r).head).high.forall(_ < 0.26))
    val layers = corner.map(r => base(tree.regions(r).head).copy(bytes = 600, rows = 600) -> r)
    val chosen = choice(arrivals(6000, _.nextDouble(), _.nextDouble()), files = 6, layers)
    assert(tree.regions.indices.filter(
      chosen.groups(_).isDefined) === corner && chosen.regionLayers === layers.indices.toSet)
    assert(withOwnLayer(chosen) === tree.regions.indices.toSet -- corner)
    assert(chosen.bytes === 6000 + corner.size * 1600)
  }

  test("more new rows than the table has, anywhere: a full run") {
    val chosen = choice(arrivals(20000, _.nextDouble(), _.nextDouble()), files = 200)
    assert(rewritten(chosen) === tree.regions.size && chosen.groups.toSet === Set(Some(0)))
  }

  test("points stand for rows at one rate, inside their boxes") {
    val points = new SimulationPoints(base, NewRows(arrivals(2000, _.nextDouble(), _.nextDouble()), 6400, 6400))
    assert(points.all.length === points.of(63).end + points.ofNewRows.size)
    for (b <- base.indices; p <- points.of(b); axis <- 0 to 1) {
      val value = points.coordinates(axis)(p)
      assert(base(b).low(axis) <= value && value <= base(b).high(axis))
    }
    assert(math.abs(points.ofNewRows.size - points.of(0).size * 6.4) < 10)
  }
}
