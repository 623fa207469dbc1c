// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import org.apache.spark.sql.types._

import org.scalatest.funsuite.AnyFunSuite

class PartitionAdviceSuite extends AnyFunSuite {

  private val Gigabyte = 1000000000L
  private val day = 24L * 3600 * 1000000

  test("a key of many values is nothing to partition by, and neither is a column of one value") {
    def by(distinct: Long) = PartitionAdvice.of("order_id", LongType, Gigabyte, Some(distinct), Some((0L, distinct)))
    assert(by(4720000) === None && by(11) === None && by(1) === None)
    assert(by(10) === Some("order_id") && by(2) === Some("order_id"))
    assert(PartitionAdvice.of("order_id", LongType, Gigabyte, None, Some((0L, 5L))) === None)
  }

  test("a time by its day, its month or its year, whichever is large enough") {
    for (dataType <- Seq(TimestampType, TimestampNTZType))
      assert(PartitionAdvice.of("ts", dataType, Gigabyte, None, Some((0L, 5 * day))) === Some("the day of ts"))
    def by(days: Int) = PartitionAdvice.of("d", DateType, Gigabyte, None, Some((19000, 19000 + days - 1)))
    assert(by(10) === Some("the day of d"))
    assert(by(80) === Some("the month of d"))
    assert(by(1000) === Some("the year of d"))
    assert(by(10000) === None && by(1) === None)
    assert(PartitionAdvice.of("d", DateType, Gigabyte, None, None) === None)
  }

  test("partitions of less than 100 MB are no advice") {
    assert(PartitionAdvice.of("country", StringType, 199999999L, Some(2), None) === None)
    assert(PartitionAdvice.of("country", StringType, 200000000L, Some(2), None) === Some("country"))
  }
}
