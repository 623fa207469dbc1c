// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

import io.sparkzorder.key.{ColumnRanks, KeyOrder}
import io.sparkzorder.layout.CellAspect

/**
 * How the rows of one table partition are divided into sections, each of which is laid out on its own.
 *
 * @param layers
 *   per section, whether its files become a layer over files that stay as they are ([[IncrementalPlanner]])
 * @param aspects
 *   per section, how its cells are proportioned
 * @param route
 *   the way from a row to its section; None where there is one section
 */
final case class Sections(layers: IndexedSeq[Boolean], aspects: IndexedSeq[CellAspect], route: Option[Sections.Route]) {
  require((route.isDefined || layers.size == 1) && aspects.size == layers.size)

  def count: Int = layers.size
}

object Sections {

  /** One section, which holds all rows of the partition. */
  val whole: Sections = Sections(IndexedSeq(false), IndexedSeq(CellAspect.Even), None)

  /** One section, which becomes a layer over files that stay as they are. */
  val layer: Sections = Sections(IndexedSeq(true), IndexedSeq(CellAspect.Even), None)

  /**
   * The way from a row to its section; serialized to executors.
   *
   * @param cells
   *   per column, finds the number of bounds that lie below a key
   * @param sectionOf
   *   per region, the number of its section
   */
  final class Route(val cells: Array[ColumnRanks], search: RegionSearch, sectionOf: Array[Int]) extends Serializable {
    def section(cell: Array[Long]): Int = sectionOf(search.regionOf(cell))
  }

  /**
   * @param highs
   *   per column and box of the tree, the key of its upper bound, null where it holds NULL only
   * @param sectionOf
   *   per region of the tree, the number of its section
   */
  def route(
      tree: RegionTree,
      orders: IndexedSeq[KeyOrder],
      highs: IndexedSeq[IndexedSeq[Any]],
      sectionOf: Array[Int]): Route = {
    val tables = orders.indices.map { axis =>
      val order = orders(axis)
      val used = tree.nodes.filter(_.axis == axis).map(n => highs(axis)(n.box)).filter(_ != null)
      val sorted = used.sorted(order.ordering)
      val distinct = sorted.indices.filter(i => i == 0 || order.compare(sorted(i - 1), sorted(i)) != 0).map(sorted)
      new ColumnRanks(order, order.bounds(distinct.toArray), Array.tabulate(distinct.size + 1)(_ + 1L))
    }
    val search = RegionSearch.of(tree, (axis, box) => tables(axis).rankOf(highs(axis)(box)).toInt)
    new Route(tables.toArray, search, sectionOf)
  }
}

/**
 * Numbers the sections of all partitions, those of a partition one after the other.
 *
 * @param partitions
 *   per partition number, its sections
 */
final class SectionRouter(partitions: IndexedSeq[Sections]) extends Serializable {

  private val firsts: Array[Int] = partitions.map(_.count).scanLeft(0)(_ + _).toArray
  private val routes: Array[Sections.Route] = partitions.map(_.route.orNull).toArray

  /** Whether every partition is one section, so that the numbers of partitions and sections are the same. */
  val isTrivial: Boolean = routes.forall(_ == null)

  /** Whether a row's own columns are needed to find its section. */
  def isDivided(partition: Int): Boolean = routes(partition) != null

  /** Per column, what finds the cell of a key in a divided partition. */
  def cells(partition: Int): Array[ColumnRanks] = routes(partition).cells

  /** The first section of a partition. */
  def first(partition: Int): Int = firsts(partition)

  def section(partition: Int, cells: Array[Long]): Int = firsts(partition) + routes(partition).section(cells)
}

/**
 * A [[RegionTree]] serialized to executors: arrays, no allocation, a few comparisons of integers per row.
 *
 * A node divides by `axis(node)`: cells up to `place(node)` are in `left(node)`, higher ones in `right(node)`; a
 * negative child `-1 - r` is the region `r`.
 */
final class RegionSearch private (axis: Array[Int], place: Array[Int], left: Array[Int], right: Array[Int])
    extends Serializable {

  /** @param cells per axis, the number of the axis's bounds that lie below the point */
  def regionOf(cells: Array[Long]): Int =
    if (axis.isEmpty) 0
    else {
      var node = 0
      while (node >= 0) node = if (cells(axis(node)) <= place(node)) left(node) else right(node)
      -1 - node
    }
}

object RegionSearch {

  /**
   * @param place
   *   the position of a box's upper bound on an axis, among that axis's bounds
   */
  def of(tree: RegionTree, place: (Int, Int) => Int): RegionSearch = {
    val nodes = tree.nodes
    new RegionSearch(
      nodes.map(_.axis).toArray,
      nodes.map(n => place(n.axis, n.box)).toArray,
      nodes.map(_.left).toArray,
      nodes.map(_.right).toArray)
  }
}
