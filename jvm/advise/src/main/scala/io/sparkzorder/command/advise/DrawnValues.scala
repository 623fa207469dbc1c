// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.advise

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.command.advise.simulate.SampledColumn
import io.sparkzorder.command.advise.workload.{AnyValue, ScanFilters}

import org.apache.spark.sql.catalyst.expressions._

/**
 * Draws the values that nobody told with which a workload compares columns.
 *
 * Each scan stands for several, each of which looks for what a sampled row has: that row's values where columns are to
 * equal something, with those of other rows in a list, and of ranges one about the row.
 *
 * @param columns
 *   the sampled columns, and those of partitions, each with a value for each sampled row
 */
private[advise] final class DrawnValues(columns: Seq[SampledColumn]) {
  import DrawnValues._

  private val byPath = columns.map(c => c.column.path -> c).toMap

  /** The same scans where all values are known, and in place of each other one those that it stands for. */
  def of(scans: Seq[ScanFilters]): Seq[ScanFilters] = {
    val open = scans.count(_.filters.exists(isOpen))
    scans.flatMap(scan =>
      if (scan.filters.exists(isOpen)) drawn(scan, (MostScans / open).max(3).min(OfAScan)) else Seq(scan))
  }

  private def drawn(scan: ScanFilters, most: Int): Seq[ScanFilters] = {
    val (open, told) = scan.filters.partition(isOpen)
    val named = open.flatMap(pathsIn).distinct.flatMap(byPath.get)
    val rows = columns.head.values.indices.filter(row => named.forall(_.values(row) != null))
    val count = math.min(most, rows.size)
    if (count == 0) Seq(scan.copy(filters = told))
    else (0 until count).map { i =>
      val place = (i.toLong * rows.size / count).toInt
      val filled = open.map(_.transform(new Drawing(open, rows, place, Widths(i % Widths.size)).values))
      // Of what is not in the sample nothing is known.
      ScanFilters(told ++ filled.filterNot(isOpen), scan.weight / count)
    }
  }

  /** Values for the filters `open` of a scan, by the row at a place among `rows`. */
  private final class Drawing(open: Seq[Expression], rows: IndexedSeq[Int], place: Int, width: Double) {

    private val row = rows(place)

    private val ends: Map[ColumnPath, Set[Boolean]] = open
      .flatMap(_.collect {
        case Range(term, isLow) => pathsIn(term).map(_ -> isLow)
        case StartsWith(term, _: AnyValue) => pathsIn(term).flatMap(p => Seq(p -> true, p -> false))
      })
      .flatten
      .groupMap(_._1)(_._2)
      .map { case (path, found) => path -> found.toSet }

    val values: PartialFunction[Expression, Expression] = {
      case In(term, list) if list.forall(_.isInstanceOf[AnyValue]) =>
        val step = math.max(1, rows.size / list.size)
        In(term, list.indices.map(i => valueOf(term, c => c.values(rows((place + i * step) % rows.size)))).distinct)
      case Range(term, isLow) => bound(term, isLow)
      case StartsWith(term, _: AnyValue) => And(bound(term, isLow = true), bound(term, isLow = false))
      case c @ BinaryComparison(term, _: AnyValue) =>
        c.withNewChildren(Seq(term, valueOf(term, _.values(row))))
    }

    private def bound(term: Expression, isLow: Boolean): Expression = {
      val value = valueOf(term, end(_, isLow))
      if (isLow) GreaterThanOrEqual(term, value) else LessThanOrEqual(term, value)
    }

    /** An end of a range of some of the rows: about the row, or to the end where it has no other. */
    private def end(column: SampledColumn, isLow: Boolean): Any = {
      val rows = math.max(1, math.round(column.size * width).toInt)
      val first = ends(column.column.path) match {
        case both if both.size == 2 => math.min(column.middle(column.numbers(row)), column.size - rows)
        case one => if (one.head) column.size - rows else 0
      }
      column.at(if (isLow) first else first + rows - 1)
    }

    private def valueOf(term: Expression, of: SampledColumn => Any): Expression = {
      val value = for (path <- pathsIn(term).headOption; column <- byPath.get(path)) yield term.transformDown {
        case e if ColumnPath.of(e).contains(path) => Literal(of(column), column.column.dataType)
      }
      value.getOrElse(AnyValue(term.dataType))
    }
  }
}

private[advise] object DrawnValues {

  /** So many tell a column's share to some percent; each is asked of each file of each layout that is tried. */
  private val OfAScan = 100
  private val MostScans = 6400

  /** Shares of the rows that a range has of which nobody told more, in turn. */
  private val Widths = Seq(0.001, 0.01, 0.1)

  /** A lookup of single values of a column, each as likely as it is among the rows. */
  def lookup(column: SampledColumn, attributes: Seq[Attribute]): ScanFilters =
    ScanFilters(Seq(EqualTo(column.column.path.in(attributes), AnyValue(column.column.dataType))), 1.0)

  private def isOpen(filter: Expression): Boolean = filter.exists(_.isInstanceOf[AnyValue])

  private def pathsIn(expression: Expression): Seq[ColumnPath] =
    ColumnPath.of(expression).fold(expression.children.flatMap(pathsIn))(Seq(_))

  /** A comparison with a bound that nobody told, and whether that is the lower one. */
  private object Range {
    def unapply(filter: Expression): Option[(Expression, Boolean)] = filter match {
      case GreaterThan(term, _: AnyValue) => Some((term, true))
      case GreaterThanOrEqual(term, _: AnyValue) => Some((term, true))
      case LessThan(term, _: AnyValue) => Some((term, false))
      case LessThanOrEqual(term, _: AnyValue) => Some((term, false))
      case _ => None
    }
  }
}
