// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import java.time.{Duration, Instant, ZoneId}
import java.time.temporal.ChronoUnit

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

/** Bounds of functions of times, where clocks change: against the function of every moment between. */
class ClockChangesSuite extends AnyFunSuite {

  private val column = AttributeReference("t", TimestampType)()

  private def functions(zone: String): Seq[Expression] = {
    def cast(to: DataType) = Cast(column, to, Some(zone), EvalMode.ANSI)
    val units = Seq("SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR")
    units.map(u => TruncTimestamp(Literal(u), column, Some(zone))) :+ cast(DateType) :+ cast(TimestampNTZType)
  }

  private def ofColumn(from: Long, until: Long): ExpressionBounds = new ExpressionBounds {
    override def dataType: DataType = TimestampType
    override def min(file: Int): Any = from
    override def max(file: Int): Any = until
    override def mayBeNull(file: Int): Boolean = false
    override def mayHaveValue(file: Int): Boolean = true
  }

  private def check(function: Expression, moments: Seq[Long]): Unit = {
    val OrderedFunction(_, zone) = function
    val bounds = new FunctionBounds(ofColumn(moments.head, moments.last), function, zone)
    val bound = BindReferences.bindReference(function, Seq(column))
    val values = moments.map(m => bound.eval(InternalRow(m))).map {
      case days: Int => days.toLong
      case micros: Long => micros
    }
    def known(value: Any) = Option(value).map { case n: Number => n.longValue }
    val what = s"$function from ${DateTimeUtils.microsToInstant(moments.head)} in ${zone.get}"
    assert(known(bounds.min(0)).forall(_ == values.min) && known(bounds.max(0)).forall(_ == values.max), what)
  }

  /** From `before` the change to `after` it, all of whose borders are among the moments, as the next whole minute, hour and day. */
  private def around(zone: ZoneId, change: Instant, before: Duration, after: Duration, step: Duration): Seq[Long] = {
    val until = change.plus(after)
    val shown = change.atZone(zone).toLocalDateTime
    val whole = Seq(ChronoUnit.MINUTES, ChronoUnit.HOURS, ChronoUnit.DAYS)
      .map(unit => change.plus(Duration.between(shown, shown.truncatedTo(unit).plus(1, unit))))
    val moments = Iterator.iterate(change.minus(before))(_.plus(step)).takeWhile(_.isBefore(until)).toSeq
    val borders = change +: whole.filter(_.isBefore(until))
    (moments ++ borders).flatMap(m => Seq(m, m.minusNanos(1000))).map(DateTimeUtils.instantToMicros).sorted
  }

  private def checkAll(zone: String, change: Instant): Unit = {
    val random = new Random(change.getEpochSecond)
    for (function <- functions(zone); step <- Seq(Duration.ofSeconds(10), Duration.ofMinutes(10))) {
      val all = around(ZoneId.of(zone), change, step.multipliedBy(150), step.multipliedBy(300), step)
      check(function, all.filter(_ >= DateTimeUtils.instantToMicros(change)))
      for (_ <- 0 until 6) {
        val from = random.nextInt(all.size - 1)
        check(function, all.slice(from, from + 2 + random.nextInt(all.size - from)))
      }
    }
  }

  for ((zone, change) <- Seq(
      // Forward by three hours at a minute past midnight, by two, by an odd number of seconds.
      "Antarctica/Casey" -> "2020-10-03T16:01:00Z",
      "America/St_Johns" -> "1988-04-03T03:31:00Z",
      "Asia/Kolkata" -> "1906-01-01T00:00:00Z",
      "Asia/Pontianak" -> "1942-01-28T16:30:00Z",
      // A zone's first change.
      "Africa/Nairobi" -> "1908-04-30T21:32:44Z",
      // Back by half an hour; a day that was left out.
      "Australia/Lord_Howe" -> "2024-04-06T15:00:00Z",
      "Pacific/Apia" -> "2011-12-30T10:00:00Z"
    ))
    test(s"the change at or after $change in $zone") {
      val rules = ZoneId.of(zone).getRules
      checkAll(zone, rules.nextTransition(Instant.parse(change).minusSeconds(86400)).getInstant)
    }

  test("changes of all zones, by chance") {
    val random = new Random(30)
    val zones = ZoneId.getAvailableZoneIds.asScala.toSeq.sorted.filterNot(ZoneId.of(_).getRules.getTransitions.isEmpty)
    for (_ <- 0 until 60) {
      val zone = zones(random.nextInt(zones.size))
      val transitions = ZoneId.of(zone).getRules.getTransitions
      checkAll(zone, transitions.get(random.nextInt(transitions.size)).getInstant)
    }
  }

  test("values at whose image Spark's function begins again at the other end are of no use") {
    val date = AttributeReference("d", DateType)()
    val week = TruncDate(date, Literal("WEEK"))
    val child = new ExpressionBounds {
      override def dataType: DataType = DateType
      override def min(file: Int): Any = Int.MinValue
      override def max(file: Int): Any = 100
      override def mayBeNull(file: Int): Boolean = false
      override def mayHaveValue(file: Int): Boolean = true
    }
    val bounds = new FunctionBounds(child, week, None)
    assert(bounds.min(0) === null && bounds.max(0) === null && bounds.mayBeNull(0))
  }
}
