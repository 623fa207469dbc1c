// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.time.{Duration, Instant, ZoneId}
import java.time.temporal.ChronoUnit
import java.time.zone.ZoneOffsetTransition

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, TypeUtils}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A function of one argument of which a larger value never makes a smaller one, and no value but NULL makes NULL. */
private[skipping] object OrderedFunction {

  /** The argument, and the time zone if the order is kept only between changes of its clocks. */
  def unapply(function: Expression): Option[(Expression, Option[ZoneId])] = function match {
    case cast @ Cast(child, DateType | TimestampNTZType, _, _) if child.dataType == TimestampType && cast.resolved =>
      Some((child, Some(cast.zoneId)))
    case trunc @ TruncTimestamp(format, child, _)
        if format.foldable && child.dataType == TimestampType && trunc.resolved =>
      Some((child, Some(trunc.zoneId)))
    case TruncDate(child, format) if format.foldable => Some((child, None))
    case Year(child) if child.dataType == DateType => Some((child, None))
    case Floor(child) if isExact(child.dataType) => Some((child, None))
    case Ceil(child) if isExact(child.dataType) => Some((child, None))
    // Characters at the beginning: which bytes they are depends on nothing after the first byte that differs.
    case Substring(child, from, length)
        if child.dataType == StringType && isInt(from)(p => p == 0 || p == 1) && isInt(
          length)(_ >= 0) =>
      Some((child, None))
    case _ => None
  }

  private def isExact(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | _: DecimalType => true
    case _ => false
  }

  private def isInt(expression: Expression)(test: Int => Boolean): Boolean =
    expression.foldable && BoundsResolver.constant(expression).exists {
      _.value match {
        case i: Int => test(i)
        case _ => false
      }
    }
}

/**
 * The bounds of an [[OrderedFunction]].
 *
 * Where clocks change between two bounds, the least and the greatest value are looked for at each change, too, and at the
 * next whole minute, hour and day: after a clock was put back over midnight, a later moment has an earlier date.
 */
final private[skipping] class FunctionBounds(child: ExpressionBounds, function: Expression, zone: Option[ZoneId])
    extends DerivedBounds(child) {

  override val dataType: DataType = function.dataType

  private val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
  private val input = new GenericInternalRow(1)

  private val bound = function match {
    case TruncTimestamp(_, argument, _) => replaced(argument)
    case TruncDate(argument, _) => replaced(argument)
    case _ => replaced(function.children.head)
  }

  private def replaced(argument: Expression): Expression = {
    val reference = BoundReference(0, child.dataType, nullable = true)
    function.withNewChildren(function.children.map(c => if (c eq argument) reference else c))
  }

  private def image(value: Any): Any = (value, bound) match {
    case (null, _) => null
    // A bound may be cut within a character, after which Spark's function would read.
    case (text: UTF8String, Substring(_, _, length)) => FunctionBounds.beginning(text, length.eval().asInstanceOf[Int])
    case _ => ExpressionBounds.image(bound, input, value)
  }

  /** The moments after the first bound, up to the last, from which on the order is another one; None where there are too many. */
  private def breaks(file: Int): Option[Seq[Long]] = (zone, child.min(file), child.max(file)) match {
    case (Some(zone), from: Long, until: Long) if !zone.getRules.isFixedOffset =>
      val rules = zone.getRules
      val (first, last) = (DateTimeUtils.microsToInstant(from), DateTimeUtils.microsToInstant(until))
      // A change at or before the first value counts for a while: see `FunctionBounds.breaks`.
      val changes = Iterator
        .iterate(Option(rules.previousTransition(first.plusNanos(1))).orElse(Option(rules.nextTransition(first))))(
          _.flatMap(t => Option(rules.nextTransition(t.getInstant))))
        .takeWhile(_.exists(!_.getInstant.isAfter(last)))
        .take(FunctionBounds.MostChanges + 1)
        .map(_.get)
        .toSeq
      def moments = changes.flatMap(FunctionBounds.breaks).map(DateTimeUtils.instantToMicros)
      Option.when(changes.size <= FunctionBounds.MostChanges)(moments.filter(m => m > from && m <= until))
    case _ => Some(Nil)
  }

  private def extreme(file: Int, isLeast: Boolean): Any = {
    val (least, greatest) = (image(child.min(file)), image(child.max(file)))
    // As of values near the end of their type, where some of Spark's functions begin again at the other end.
    def areSwapped = least != null && greatest != null && order.gt(least, greatest)
    breaks(file).fold[Any](null) { moments =>
      val images = (if (isLeast) least else greatest) +: moments.map(m => image(if (isLeast) m else m - 1))
      if (images.contains(null) || areSwapped) null else if (isLeast) images.min(order) else images.max(order)
    }
  }

  override def min(file: Int): Any = extreme(file, isLeast = true)

  override def max(file: Int): Any = extreme(file, isLeast = false)

  // A format that Spark does not know makes NULL of every value.
  override def mayBeNull(file: Int): Boolean = super.mayBeNull(file) || min(file) == null || max(file) == null
}

private object FunctionBounds {

  /** The first `characters` of a string, which may end within one. */
  private def beginning(text: UTF8String, characters: Int): UTF8String = {
    var (bytes, count) = (0, 0)
    while (bytes < text.numBytes && count < characters) {
      bytes += UTF8String.numBytesForFirstByte(text.getByte(bytes))
      count += 1
    }
    if (bytes >= text.numBytes) text else UTF8String.fromBytes(text.getBytes.take(bytes))
  }

  /**
   * The moments at and after a change of clocks from which on [[OrderedFunction]]s keep the order anew.
   *
   * Where clocks are put forward, times are cut off to one that no clock has shown; Java then takes one that is later by as
   * much as they were put forward, and so may be later than what the next whole minute, hour or day is cut off to. Until
   * then all times are cut off to the same.
   */
  private def breaks(change: ZoneOffsetTransition): Seq[Instant] = {
    val shown = change.getDateTimeAfter
    change.getInstant +: Seq(ChronoUnit.MINUTES, ChronoUnit.HOURS, ChronoUnit.DAYS).map { unit =>
      val whole = shown.truncatedTo(unit)
      val next = if (whole.isBefore(shown)) whole.plus(1, unit) else shown
      change.getInstant.plus(Duration.between(shown, next))
    }.distinct
  }

  /** Two a year for three centuries; more are of damaged values. */
  private val MostChanges = 600
}

/**
 * `factor * term + constant` of integers, exactly: where it does not fit the type nothing is known, whatever Spark then
 * makes of it.
 */
final private[skipping] class LinearBounds(child: ExpressionBounds, factor: BigInt, constant: BigInt)
    extends DerivedBounds(child) {

  override def dataType: DataType = child.dataType

  private def image(value: Any): Any = value match {
    case null => null
    case number: Number =>
      val exact = factor * number.longValue + constant
      dataType match {
        case LongType if exact.isValidLong => exact.toLong
        case IntegerType if exact.isValidInt => exact.toInt
        case ShortType if exact.isValidShort => exact.toShort
        case ByteType if exact.isValidByte => exact.toByte
        case _ => null
      }
  }

  private def ends(file: Int): (Any, Any) = {
    val (low, high) = (image(child.min(file)), image(child.max(file)))
    if (low == null || high == null) (null, null) else if (factor.signum > 0) (low, high) else (high, low)
  }

  override def min(file: Int): Any = ends(file)._1

  override def max(file: Int): Any = ends(file)._2

  // TRY_ADD and the like.
  override def mayBeNull(file: Int): Boolean = super.mayBeNull(file) || min(file) == null
}

private[skipping] object LinearBounds {

  /** The argument, the factor and the constant of an expression over one integer. */
  def parts(expression: Expression): Option[(Expression, BigInt, BigInt)] = expression.dataType match {
    case ByteType | ShortType | IntegerType | LongType =>
      expression match {
        case Add(Integer(constant), child, _) => Some((child, 1, constant))
        case Add(child, Integer(constant), _) => Some((child, 1, constant))
        case Subtract(Integer(constant), child, _) => Some((child, -1, constant))
        case Subtract(child, Integer(constant), _) => Some((child, 1, -constant))
        case Multiply(Integer(factor), child, _) if factor.signum != 0 => Some((child, factor, 0))
        case Multiply(child, Integer(factor), _) if factor.signum != 0 => Some((child, factor, 0))
        case UnaryMinus(child, _) => Some((child, -1, 0))
        case _ => None
      }
    case _ => None
  }

  private object Integer {
    def unapply(expression: Expression): Option[BigInt] =
      if (!expression.foldable) None
      else BoundsResolver.constant(expression).flatMap {
        _.value match {
          case number: Number => Some(BigInt(number.longValue))
          case _ => None
        }
      }
  }
}

/** `coalesce(term, constant)`. */
final private[skipping] class CoalesceBounds(child: ExpressionBounds, constant: ConstantBounds)
    extends ExpressionBounds {

  override def dataType: DataType = child.dataType

  private val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)

  private def bound(file: Int, ofChild: Any, choose: (Any, Any) => Any): Any =
    if (!child.mayHaveValue(file)) constant.value
    else if (ofChild == null || !child.mayBeNull(file)) ofChild
    else choose(ofChild, constant.value)

  override def min(file: Int): Any = bound(file, child.min(file), order.min(_, _))

  override def max(file: Int): Any = bound(file, child.max(file), order.max(_, _))

  override def mayBeNull(file: Int): Boolean = false

  override def mayHaveValue(file: Int): Boolean = true
}
