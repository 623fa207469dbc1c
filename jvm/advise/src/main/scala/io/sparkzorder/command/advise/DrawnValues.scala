// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.command.advise.workload.{AnyValue, WeightedFilters}

import org.apache.spark.sql.catalyst.expressions._

/**
 * Draws the values with which a workload compares columns, where they are not known.
 *
 * Each such scan stands for several, each of which looks for what a sampled row has: that row's values where columns
 * equal something, those of other rows too in a list, and of a range one that begins at the row.
 *
 * @param columns
 *   the sampled columns, and those of partitions, each with a value for each sampled row
 */
private[advise] final class DrawnValues(columns: Seq[SampledColumn]) {
  import DrawnValues._

  private val byPath = columns.map(c => c.column.path -> c).toMap

  /** Returns scans with known values as they are, and samples of every other scan. */
  def sampled(scans: Seq[WeightedFilters]): Seq[WeightedFilters] = {
    val (open, known) = scans.partition(_.filters.exists(isOpen))
    known ++ open.flatMap(drawn(_, (MostScans / open.size).max(3).min(OfAScan)))
  }

  private def drawn(scan: WeightedFilters, most: Int): Seq[WeightedFilters] = {
    val (open, known) = scan.filters.partition(isOpen)
    val named = WeightedFilters(open, 1.0).columns.flatMap(byPath.get)
    val rows = columns.head.values.indices.filter(row => named.forall(_.values(row) != null))
    val count = math.min(most, rows.size)
    if (count == 0) Seq(scan.copy(filters = known))
    else (0 until count).map { i =>
      val values = valuesOf(open, rows, (i.toLong * rows.size / count).toInt, Widths(i % Widths.size))
      // Of what is not in the sample nothing is known.
      WeightedFilters(known ++ open.map(_.transform(values)).filterNot(isOpen), scan.weight / count)
    }
  }

  /** Fills in the values of a scan's filters, by the row at a place among `rows`. */
  private def valuesOf(
      open: Seq[Expression],
      rows: IndexedSeq[Int],
      place: Int,
      width: Double): PartialFunction[Expression, Expression] = {
    val bounds = open.flatMap(_.collect { case Bound(term, isLow) => pathIn(term) -> isLow }).toSet
    def value(term: Expression, of: SampledColumn => Any): Expression = {
      val found = for (path <- pathIn(term); column <- byPath.get(path)) yield term.transformDown {
        case e if ColumnPath.of(e).contains(path) => Literal(of(column), column.column.dataType)
      }
      found.getOrElse(AnyValue(term.dataType))
    }
    def end(isLow: Boolean)(column: SampledColumn): Any = {
      val size = math.max(1, math.round(column.size * width).toInt)
      val first =
        if (bounds(Some(column.column.path) -> !isLow))
          column.middle(column.numbers(rows(place))).min(column.size - size)
        else if (isLow) column.size - size
        else 0
      column.at(if (isLow) first else first + size - 1)
    }
    {
      case In(term, list) if list.forall(_.isInstanceOf[AnyValue]) =>
        val step = math.max(1, rows.size / list.size)
        In(term, list.indices.map(i => value(term, _.values(rows((place + i * step) % rows.size)))).distinct)
      case Bound(term, true) => GreaterThanOrEqual(term, value(term, end(isLow = true)))
      case Bound(term, false) => LessThanOrEqual(term, value(term, end(isLow = false)))
      case c @ BinaryComparison(term, _: AnyValue) =>
        c.withNewChildren(Seq(term, value(term, _.values(rows(place)))))
    }
  }
}

private[advise] object DrawnValues {

  /** So many give a column's share to some percent; each is asked of each file of each layout that is tried. */
  private val OfAScan = 100
  private val MostScans = 6400

  /** Shares of the rows in a range, in turn. */
  private val Widths = Seq(0.001, 0.01, 0.1)

  /** Lookups of single values of a column, each as likely as it is among the rows. */
  def lookup(column: SampledColumn, attributes: Seq[Attribute]): WeightedFilters =
    WeightedFilters(Seq(EqualTo(column.column.path.in(attributes), AnyValue(column.column.dataType))), 1.0)

  private def isOpen(filter: Expression): Boolean = filter.exists(_.isInstanceOf[AnyValue])

  /** The column that a term is, or is a cast of. */
  private def pathIn(term: Expression): Option[ColumnPath] =
    ColumnPath.of(term).orElse(term.children.headOption.flatMap(pathIn))

  /** A comparison with a bound that is not known, and whether that is the lower one. */
  private object Bound {
    def unapply(c: BinaryComparison): Option[(Expression, Boolean)] = c match {
      case _: GreaterThan | _: GreaterThanOrEqual if c.right.isInstanceOf[AnyValue] => Some((c.left, true))
      case _: LessThan | _: LessThanOrEqual if c.right.isInstanceOf[AnyValue] => Some((c.left, false))
      case _ => None
    }
  }
}
