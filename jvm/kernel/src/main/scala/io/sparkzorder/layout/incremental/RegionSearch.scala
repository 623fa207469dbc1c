// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

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
