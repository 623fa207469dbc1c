// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.time.LocalDate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, DateType, IntegerType}

/**
 * A part of a date that grows with the date until a period ends, and then begins anew: the month, until the year ends.
 *
 * @param period
 *   numbers the periods
 * @param number
 *   the part, as Spark's function counts it, from 1
 * @param last
 *   the greatest number that there is
 */
final private[skipping] class CyclicPart(
    val date: Expression,
    val period: LocalDate => Int,
    val number: LocalDate => Int,
    val last: Int)

private[skipping] object CyclicPart {

  /** The part that an expression is. */
  def unapply(expression: Expression): Option[CyclicPart] = expression match {
    case Month(date) => Some(new CyclicPart(date, _.getYear, _.getMonthValue, 12))
    case Quarter(date) => Some(new CyclicPart(date, _.getYear, d => (d.getMonthValue + 2) / 3, 4))
    case DayOfYear(date) => Some(new CyclicPart(date, _.getYear, _.getDayOfYear, 366))
    case DayOfMonth(date) => Some(new CyclicPart(date, d => d.getYear * 12 + d.getMonthValue, _.getDayOfMonth, 31))
    case _ => None
  }
}

/** The bounds of a [[CyclicPart]]: those of the dates' parts where all dates of a file are of one period, else of any date. */
final private[skipping] class CyclicPartBounds(dates: ExpressionBounds, part: CyclicPart) extends DerivedBounds(dates) {
  require(dates.dataType == DateType)

  override def dataType: DataType = IntegerType

  private def ends(file: Int): (Int, Int) = (dates.min(file), dates.max(file)) match {
    case (from: Int, until: Int) =>
      val (first, last) = (LocalDate.ofEpochDay(from), LocalDate.ofEpochDay(until))
      if (part.period(first) == part.period(last)) (part.number(first), part.number(last)) else (1, part.last)
    case _ => (1, part.last)
  }

  override def min(file: Int): Any = ends(file)._1

  override def max(file: Int): Any = ends(file)._2
}
