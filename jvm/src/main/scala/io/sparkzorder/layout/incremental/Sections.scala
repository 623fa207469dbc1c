package io.sparkzorder.layout.incremental

import io.sparkzorder.key.{ColumnRanks, KeyType}

/**
 * How the rows of one table partition are divided into sections, each of which is laid out on its own.
 *
 * @param overlays
 *   per section, whether its files lie over files that stay as they are
 * @param route
 *   from a row to its section; None where there is one section
 */
final case class Sections(overlays: IndexedSeq[Boolean], route: Option[Sections.Route]) {
  require(route.isDefined || overlays.size == 1)

  def sections: Int = overlays.size
}

object Sections {

  /** One section, which holds all there is. */
  val whole: Sections = Sections(IndexedSeq(false), None)

  /** Rows that stay together, above files that are left alone. */
  val overlay: Sections = Sections(IndexedSeq(true), None)

  /**
   * The way to a section, in a form that travels to tasks.
   *
   * @param cells
   *   per column, finds the number of bounds that lie below a key
   * @param sectionOf
   *   per region
   */
  final class Route(val cells: Array[ColumnRanks], search: RegionSearch, sectionOf: Array[Int]) extends Serializable {
    def section(cell: Array[Long]): Int = sectionOf(search.regionOf(cell))
  }

  /**
   * @param highs
   *   per column and box of the tree, the key of its upper bound, null where it holds NULL only
   * @param sectionOf
   *   per region of the tree
   */
  def route(
      tree: RegionTree,
      keyTypes: IndexedSeq[KeyType],
      highs: IndexedSeq[IndexedSeq[Any]],
      sectionOf: Array[Int]): Route = {
    val tables = keyTypes.indices.map { axis =>
      val keyType = keyTypes(axis)
      val used = tree.nodes.filter(_.axis == axis).map(n => highs(axis)(n.box)).filter(_ != null)
      val sorted = used.sorted(keyType.ordering)
      val distinct = sorted.indices.filter(i => i == 0 || keyType.compare(sorted(i - 1), sorted(i)) != 0).map(sorted)
      new ColumnRanks(keyType, keyType.bounds(distinct.toArray), Array.tabulate(distinct.size + 1)(_ + 1L))
    }
    val search = RegionSearch.of(tree, (axis, box) => tables(axis).rankOf(highs(axis)(box)).toInt)
    new Route(tables.toArray, search, sectionOf)
  }
}
