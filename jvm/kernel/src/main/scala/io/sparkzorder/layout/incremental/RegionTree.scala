// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.layout.incremental

/**
 * Divides the space of the z-order columns into regions between which no file lies: a k-d tree over the boxes of files
 * (J. L. Bentley, "Multidimensional binary search trees used for associative searching", CACM 1975).
 *
 * Files cut at the cells of a curve fall apart at the cells' borders, so a region mostly holds one of them. A region
 * reaches as far as no other begins: each point of the space, beyond all boxes too, is in exactly one.
 *
 * @param nodes
 *   the inner nodes, the root first; none where there is one region
 * @param regions
 *   per region the numbers of its boxes
 */
final class RegionTree private (val nodes: IndexedSeq[RegionTree.Node], val regions: IndexedSeq[IndexedSeq[Int]]) {

  private val root = if (nodes.isEmpty) -1 else 0

  /**
   * The region of a point.
   *
   * @param isBelow
   *   whether the point lies, on an axis, at or below the upper bound of a box
   */
  def regionOf(isBelow: (Int, Int) => Boolean): Int = {
    var node = root
    while (node >= 0) node = if (isBelow(nodes(node).axis, nodes(node).box)) nodes(node).left else nodes(node).right
    -1 - node
  }

  /**
   * The region of a point.
   *
   * @param boxes
   *   the boxes of the tree
   * @param coordinate
   *   the place of the point by axis
   */
  def regionOf(boxes: IndexedSeq[FileBox], coordinate: Int => Double): Int =
    regionOf((axis, box) => coordinate(axis) <= boxes(box).high(axis))

  /** All regions, of two halves always the one first in which `density` is greater: neighbours stay together. */
  def byDensity(density: Seq[Int] => Double): IndexedSeq[Int] = {
    def of(node: Int): IndexedSeq[Int] =
      if (node < 0) IndexedSeq(-1 - node)
      else {
        val (left, right) = (of(nodes(node).left), of(nodes(node).right))
        if (density(right) > density(left)) right ++ left else left ++ right
      }
    of(root)
  }

  /** Joins chosen regions that make up a whole subtree. @return per region the number of its group, if it was chosen */
  def grouped(chosen: Set[Int]): IndexedSeq[Option[Int]] = joined(_.forall(chosen), chosen)

  /**
   * Joins chosen regions of a subtree that weigh no more than `most` together.
   *
   * @return
   *   per region the number of its group, if it was chosen
   */
  def parted(chosen: Set[Int], weight: Int => Double, most: Double): IndexedSeq[Option[Int]] =
    joined(_.filter(chosen).map(weight).sum <= most, chosen)

  /** Joins the chosen regions of each of the largest subtrees, single regions among them, of which `fits` holds. */
  private def joined(fits: Seq[Int] => Boolean, chosen: Set[Int]): IndexedSeq[Option[Int]] = {
    val groups = Array.fill(regions.size)(Option.empty[Int])
    var next = 0
    def below(node: Int): Seq[Int] =
      if (node < 0) Seq(-1 - node) else below(nodes(node).left) ++ below(nodes(node).right)
    def join(node: Int): Unit = {
      val members = below(node).filter(chosen)
      if (members.nonEmpty && (node < 0 || fits(below(node)))) {
        members.foreach(groups(_) = Some(next))
        next += 1
      } else if (node >= 0) {
        join(nodes(node).left)
        join(nodes(node).right)
      }
    }
    join(root)
    groups.toIndexedSeq
  }
}

object RegionTree {

  /**
   * Points at or below the upper bound of `box` on `axis` are in `left`, the others in `right`: the number of a node
   * or, negative, `-1 - region`.
   */
  final case class Node(axis: Int, box: Int, left: Int, right: Int)

  // Boxes may meet in this share of their width and still count as apart: bounds in a log are often rounded.
  private val Tolerance = 0.05

  /** @param boxes one or more */
  def of(boxes: IndexedSeq[FileBox]): RegionTree = {
    val nodes = scala.collection.mutable.ArrayBuffer.empty[Node]
    val regions = IndexedSeq.newBuilder[IndexedSeq[Int]]
    var leaves = 0
    def grow(members: IndexedSeq[Int]): Int = bestSplit(boxes, members) match {
      case Some((axis, left, right)) =>
        val number = nodes.size
        nodes += Node(axis, left.maxBy(boxes(_).high(axis)), 0, 0)
        nodes(number) = nodes(number).copy(left = grow(left), right = grow(right))
        number
      case None =>
        regions += members
        leaves += 1
        -leaves
    }
    grow(boxes.indices)
    new RegionTree(nodes.toIndexedSeq, regions.result())
  }

  /** Of all ways to part the boxes along an axis the one that parts them most evenly. */
  private def bestSplit(
      boxes: IndexedSeq[FileBox],
      members: IndexedSeq[Int]): Option[(Int, IndexedSeq[Int], IndexedSeq[Int])] =
    boxes(members.head).low.indices.flatMap { axis =>
      def margin(box: Int) = (boxes(box).high(axis) - boxes(box).low(axis)) * Tolerance
      def low(box: Int) = boxes(box).low(axis) + margin(box)
      def high(box: Int) = boxes(box).high(axis) - margin(box)
      val sorted = members.sortBy(b => (low(b), high(b)))
      val reach = sorted.map(high).scanLeft(Double.NegativeInfinity)(math.max).tail
      (1 until sorted.size)
        // Files of one and the same value meet at it, but nothing parts them.
        .filter(i => reach(i - 1) <= low(sorted(i)) && boxes(sorted(i - 1)).low(axis) < boxes(sorted(i)).high(axis))
        .minByOption(i => math.abs(2 * i - sorted.size))
        .map(i => (axis, sorted.take(i), sorted.drop(i)))
    }.minByOption { case (_, left, right) => math.abs(left.size - right.size) }
}

/**
 * A file as a box in the space of the z-order columns, each on a scale of 0 to 1 (`column.KeyScale`).
 *
 * @param low
 *   per column, a bound at or below every value
 * @param high
 *   per column, a bound at or above every value
 * @param rows
 *   approximate number of its rows
 * @param bytes
 *   size of the file
 */
final case class FileBox(low: IndexedSeq[Double], high: IndexedSeq[Double], rows: Long, bytes: Long) {
  require(low.length == high.length)

  /** The share of this box, 0 to 1, that lies in `other` too, if its rows are spread evenly. */
  def shareWithin(other: FileBox): Double = {
    var share = 1.0
    var axis = 0
    // A loop: a table of n files asks for n * n of these.
    while (axis < low.length && share > 0) {
      val shared = math.min(high(axis), other.high(axis)) - math.max(low(axis), other.low(axis))
      val width = high(axis) - low(axis)
      if (shared < 0) share = 0.0 else if (width > 0) share *= shared / width
      axis += 1
    }
    share
  }
}
