// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class RegionTreeSuite extends AnyFunSuite {

  private def box(ranges: (Double, Double)*): FileBox =
    FileBox(ranges.map(_._1).toIndexedSeq, ranges.map(_._2).toIndexedSeq, 1, 1)

  /** Cells of a grid, each a little smaller than its place. */
  private def grid(columns: Int, rows: Int): IndexedSeq[FileBox] = for {
    x <- 0 until columns
    y <- 0 until rows
  } yield box(
    (x.toDouble / columns + 0.001) -> ((x + 1.0) / columns - 0.001),
    (y.toDouble / rows + 0.001) -> ((y + 1.0) / rows - 0.001))

  private def regionOf(tree: RegionTree, boxes: IndexedSeq[FileBox], point: Double*): Int =
    tree.regionOf((axis, b) => point(axis) <= boxes(b).high(axis))

  test("each file of a grid has a region of its own, and every point one") {
    val boxes = new Random(1).shuffle(grid(8, 4))
    val tree = RegionTree.of(boxes)
    assert(tree.regions.map(_.size) === Seq.fill(32)(1))
    assert(tree.regions.flatten.sorted === boxes.indices)
    for (b <- boxes.indices) {
      val region = regionOf(tree, boxes, boxes(b).low.zip(boxes(b).high).map { case (l, h) => (l + h) / 2 }: _*)
      assert(tree.regions(region) === Seq(b))
    }
    // Beyond all boxes: the nearest in the corner.
    assert(boxes(tree.regions(regionOf(tree, boxes, 9, 9)).head).high.forall(_ > 0.7))
    assert(boxes(tree.regions(regionOf(tree, boxes, -9, -9)).head).low.forall(_ < 0.2))
  }

  test("files that overlap share a region") {
    val boxes = grid(2, 1) ++ IndexedSeq(box(0.0 -> 0.4, 0.2 -> 0.3), box(0.6 -> 0.6, 0.6 -> 0.6))
    assert(RegionTree.of(boxes).regions.map(_.toSet).toSet === Set(Set(0, 2), Set(1, 3)))
    val same = IndexedSeq.fill(5)(box(0.5 -> 0.5, 0.0 -> 1.0))
    assert(RegionTree.of(same).regions === Seq(0 to 4))
    assert(RegionTree.of(grid(1, 1)).regions === Seq(Seq(0)))
  }

  test("bounds that are rounded into the neighbour do not keep files together") {
    val boxes = IndexedSeq(box(0.0 -> 0.51), box(0.5 -> 1.0))
    assert(RegionTree.of(boxes).regions.size === 2)
  }

  test("regions are joined by subtrees, as long as they are not too heavy together") {
    val tree = RegionTree.of(grid(8, 4))
    val all = tree.regions.indices.toSet
    def sizes(chosen: Set[Int], most: Double): Seq[Int] = {
      val parts = tree.parted(chosen, _ => 1.0, most)
      assert(parts.indices.filter(parts(_).isDefined).toSet === chosen)
      val numbers = parts.flatten.distinct.sorted
      assert(numbers === numbers.indices)
      numbers.map(n => parts.count(_.contains(n)))
    }
    assert(sizes(all, 32) === Seq(32) && sizes(all, 31) === Seq(16, 16))
    assert(sizes(all, 4) === Seq.fill(8)(4) && sizes(all, 0) === Seq.fill(32)(1))
    assert(sizes(Set(3), 0) === Seq(1) && sizes(Set.empty, 9) === Nil)
    assert(sizes(all.filter(_ % 2 == 0), 16) === Seq(16))
  }

  test("the flat form finds the same regions") {
    val boxes = grid(5, 7)
    val tree = RegionTree.of(boxes)
    val bounds = IndexedSeq(0, 1).map(axis => boxes.map(_.high(axis)).distinct.sorted)
    val search = RegionSearch.of(tree, (axis, b) => bounds(axis).indexOf(boxes(b).high(axis)))
    val random = new Random(3)
    for (_ <- 1 to 1000) {
      val point = Seq.fill(2)(random.nextDouble() * 1.2 - 0.1)
      val cells = Array.tabulate(2)(axis => bounds(axis).count(_ < point(axis)).toLong)
      assert(search.regionOf(cells) === regionOf(tree, boxes, point: _*))
    }
  }

  test("chosen regions of a whole subtree make one group") {
    val boxes = grid(4, 4)
    val tree = RegionTree.of(boxes)
    assert(tree.grouped(tree.regions.indices.toSet).toSet === Set(Some(0)))
    assert(tree.grouped(Set.empty).toSet === Set(None))
    val half = tree.regions.indices.filter(r => boxes(tree.regions(r).head).high.head < 0.5).toSet
    val groups = tree.grouped(half)
    assert(tree.regions.indices.forall(r => groups(r).isDefined === half(r)))
    val single = tree.grouped(Set(5))
    assert(single.flatten.size === 1 && single(5) === Some(0))
  }

  test("the densest half comes first, whole") {
    val boxes = grid(4, 4)
    val tree = RegionTree.of(boxes)
    def weight(region: Int) = { val b = boxes(tree.regions(region).head); b.low.head * 10 + b.low(1) }
    val order = tree.byDensity(regions => regions.map(weight).sum / regions.size)
    assert(order.sorted === tree.regions.indices)
    assert(weight(order.head) === tree.regions.indices.map(weight).max)
    assert(order.take(8).forall(r => boxes(tree.regions(r).head).low.head > 0.49))
  }
}
