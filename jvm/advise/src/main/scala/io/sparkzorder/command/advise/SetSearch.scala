// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

/**
 * Searches the sets of 1 to `Most` columns for those by which a workload reads least.
 *
 * Every column is tried alone. The columns of a set stand in the order of these results, the best first: which column
 * has the most significant bit of the curve matters little, so that one order of each set is enough. Few columns are
 * tried in all their sets; of more, the best `Beam` sets of each size grow by each other column.
 *
 * @param share
 *   the share that the workload reads of a layout by these columns, in their order; may be costly
 */
private[advise] final class SetSearch(share: Seq[Int] => Double) {
  import SetSearch._

  /** The sets that were tried, the best first. */
  def search(columns: Seq[Int]): Seq[Tried] = {
    val alone = columns.map(c => tried(Seq(c))).sorted
    val order = alone.map(_.columns.head).take(Columns)
    val grown = if (order.size <= Exhaustive) (2 to Most).flatMap(order.combinations(_).map(tried)) else beam(order)
    (alone ++ grown).sorted
  }

  private def beam(order: Seq[Int]): Seq[Tried] = {
    val place = order.zipWithIndex.toMap
    (2 to Most).foldLeft((Seq.empty[Tried], order.map(Seq(_)))) { case ((all, growing), _) =>
      val larger = growing.take(Beam).flatMap { set =>
        order.filterNot(set.contains).map(c => (set :+ c).sortBy(place))
      }
      val now = larger.distinct.map(tried).sorted
      (all ++ now, now.map(_.columns))
    }._1
  }

  private def tried(columns: Seq[Int]): Tried = Tried(columns, share(columns))
}

private[advise] object SetSearch {

  /** The most columns of a set. */
  val Most = 4

  /** The most columns of which sets are made: those that do best alone. */
  val Columns = 16

  private val Exhaustive = 7

  private val Beam = 6

  /** Each further column must save so much of what is read, or the smaller set is as good. */
  private val WorthAColumn = 0.01

  /** @param share share of the bytes, 0 to 1, that the workload reads */
  final case class Tried(columns: Seq[Int], share: Double) {

    /** By what sets are compared. */
    def rating: Double = rated(share, columns.size)
  }

  object Tried {
    implicit val best: Ordering[Tried] = Ordering.by(t => (t.rating, t.columns.size, t.columns.mkString(",")))
  }

  /** A share or a cost, as it counts for a set of so many columns. */
  def rated(cost: Double, columns: Int): Double = cost * (1 + WorthAColumn * (columns - 1))
}
