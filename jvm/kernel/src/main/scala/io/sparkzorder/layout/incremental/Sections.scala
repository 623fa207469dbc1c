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

  def sections: Int = layers.size
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
