// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import java.time.Instant

import io.sparkzorder.column.ColumnPath
import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{StructType, TimestampType}

/** Bounds of a column as Delta's log has them. */
class DeltaStatisticsSuite extends AnyFunSuite {

  private val statistics = new DeltaStatistics(new StructType().add("t", TimestampType), Some("UTC"))

  private def bounds(min: String, max: String): (Long, Long) = {
    val json = s"""{"numRecords":2,"minValues":{"t":"$min"},"maxValues":{"t":"$max"},"nullCount":{"t":0}}"""
    val column = statistics.column(statistics.parse(json).get, ColumnPath(Seq("t")))
    (column.min.asInstanceOf[Long], column.max.asInstanceOf[Long])
  }

  private def micros(text: String): Long = DateTimeUtils.instantToMicros(Instant.parse(text))

  test("an offset that Delta has written without its seconds") {
    // Of Monrovia, -00:44:30, and of Amsterdam, +00:19:32.
    val (low, high) = bounds("1950-01-01T00:00:00.000-00:44", "1950-01-01T00:00:01.000-00:44")
    assert(low <= micros("1950-01-01T00:44:30Z") && high >= micros("1950-01-01T00:44:31Z"))
    val (first, last) = bounds("1930-01-01T00:00:00.000+00:19", "1930-01-01T00:00:00.000+00:19")
    assert(first <= micros("1929-12-31T23:40:28Z") && last >= micros("1929-12-31T23:40:28Z"))
  }

  test("all other offsets are whole") {
    for (time <- Seq("1930-01-01T00:00:00.000Z", "1930-01-01T00:00:00.000-00:44:30", "2024-07-01T00:00:00.000+02:00")) {
      val (low, high) = bounds(time, time)
      assert(low === high)
    }
  }
}
