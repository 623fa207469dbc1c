// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import java.time.{Duration, ZoneId}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{DataType, TimestampType}

/**
 * Offsets from UTC that had seconds once, as `-00:44:30` in Monrovia until 1972. Delta Lake up to 3.3 wrote timestamps of
 * the log without them (its issue 5249), so that a bound may be up to a minute wrong.
 */
private[sparkzorder] object SecondsOfOffsets {

  private val Minute = 60000000L

  /** By the offset without its seconds, the last moment at which a zone had it, in microseconds since 1970. */
  private lazy val last: Map[String, Long] = {
    val found = for {
      zone <- ZoneId.getAvailableZoneIds.asScala.toSeq
      change <- ZoneId.of(zone).getRules.getTransitions.asScala
      offset = change.getOffsetBefore
      if offset.getTotalSeconds % 60 != 0
      // Clocks of others may have changed some days later.
    } yield offset.getId.take(6) -> DateTimeUtils.instantToMicros(change.getInstant.plus(Duration.ofDays(7)))
    found.groupMapReduce(_._1)(_._2)(_ max _)
  }

  private def isUsual(offset: String): Boolean = offset.takeRight(2).toInt % 15 == 0

  private val Offset = raw".*([+-]\d\d:\d\d)".r

  // No offset has had seconds for so long.
  private val LastOfAll = DateTimeUtils.instantToMicros(java.time.Instant.parse("1973-01-01T00:00:00Z"))

  /**
   * A bound that was written as text, or one a minute beyond it where seconds may be missing.
   *
   * @param bound
   *   the value of the text as of the type
   * @param sign
   *   -1 of a minimum, 1 of a maximum
   */
  def beyond(text: => String, dataType: DataType, bound: Any, sign: Int): Any = bound match {
    case micros: Long if dataType == TimestampType && micros < LastOfAll && micros > Long.MinValue + Minute =>
      text match {
        // Lists of zones that others use may have older times of zones, too.
        case Offset(offset) if !isUsual(offset) || last.get(offset).exists(micros < _) => micros + sign * Minute
        case _ => micros
      }
    case other => other
  }
}
