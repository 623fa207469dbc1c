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
      overlays: IndexedSeq[(FileBox, Int)] = IndexedSeq.empty): IncrementalPlan = {
    val bytes = (files * target).toLong
    new IncrementalPlanner(
      tree,
      base,
      Set.empty,
      overlays,
      arrivals,
      bytes,
      bytes,
      Curve.of("zorder", 2),
      target).choose
  }

  private def rewritten(choice: IncrementalPlan): Int = tree.regions.indices.count(choice.isRewritten)

  test("a little that lies anywhere becomes a layer of its own") {
    val chosen = choice(arrivals(500, _.nextDouble(), _.nextDouble()), files = 0.5)
    assert(rewritten(chosen) === 0 && chosen.apart.isEmpty && chosen.bytes === 500)
  }

  test("more that lies anywhere becomes small files, above each region its own") {
    val chosen = choice(arrivals(6000, _.nextDouble(), _.nextDouble()), files = 6)
    assert(rewritten(chosen) === 0 && chosen.apart === tree.regions.indices.toSet)
  }

  test("very little, over a few files that a layer would weigh on: files above each, but no merge") {
    val few = base.filter(_.high.forall(_ < 0.26))
    val fewTree = RegionTree.of(few)
    val points = arrivals(100, _.nextDouble() / 4, _.nextDouble() / 4)
    val growth =
      new IncrementalPlanner(fewTree, few, Set.empty, IndexedSeq.empty, points, 100, 10, Curve.of("zorder", 2), target)
    assert(growth.choose.bytes === 10 && growth.choose.apart.size === few.size)
  }

  /** Files that lie above regions. */
  private def filesAbove(choice: IncrementalPlan): Int = choice.parts.max + 1

  /** Files that lie above a grid of so many files after so many files' bytes have come, anywhere. */
  private def filesAbove(columns: Int, rows: Int, files: Double): Int = {
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
    val chosen =
      new IncrementalPlanner(tree, cells, Set.empty, IndexedSeq.empty, points, bytes, bytes, curve, target).choose
    assert(chosen.bytes === bytes)
    filesAbove(chosen)
  }

  test("files above regions are no more than look-ups need") {
    // A look-up meets a file of a layer each time: little among a table's many files, much among few.
    assert(filesAbove(8, 8, files = 0.6) === 0)
    // Above each region its own was once the only other way.
    assert(filesAbove(4, 2, files = 1) < 8 && filesAbove(4, 4, files = 2) < 16 && filesAbove(8, 4, files = 2) < 32)
    assert(filesAbove(4, 2, files = 0.6) === 8)
  }

  test("what lies beside all others leaves them alone") {
    val chosen = choice(arrivals(6000, r => 1 + r.nextDouble() / 10, _.nextDouble()), files = 6)
    assert(rewritten(chosen) === 0)
  }

  test("regions with much above them are merged, no more than a few times what arrived") {
    // In one corner a region has gathered as much as it held at first.
    val corner = tree.regions.indices.filter(r => base(tree.regions(r).head).high.forall(_ < 0.26))
    val overlays = corner.map(r => base(tree.regions(r).head).copy(bytes = 600, rows = 600) -> r)
    val chosen = choice(arrivals(6000, _.nextDouble(), _.nextDouble()), files = 6, overlays)
    assert(tree.regions.indices.filter(chosen.isMerged) === corner && chosen.overlays === overlays.indices.toSet)
    assert(chosen.apart === tree.regions.indices.toSet -- corner)
    assert(chosen.bytes === 6000 + corner.size * 1600)
  }

  test("as much as the table, anywhere: a full run") {
    val chosen = choice(arrivals(20000, _.nextDouble(), _.nextDouble()), files = 200)
    assert(rewritten(chosen) === tree.regions.size && chosen.groups.toSet === Set(0))
  }

  test("points stand for rows at one rate, inside their boxes") {
    val points = new SimulationPoints(base, arrivals(2000, _.nextDouble(), _.nextDouble()), 6400)
    assert(points.all.length === points.of(63).end + points.arrived.size)
    for (b <- base.indices; p <- points.of(b); axis <- 0 to 1) {
      val value = points.coordinates(axis)(p)
      assert(base(b).low(axis) <= value && value <= base(b).high(axis))
    }
    assert(math.abs(points.arrived.size - points.of(0).size * 6.4) < 10)
  }
}
