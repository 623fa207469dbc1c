// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import java.math.{BigDecimal => JavaDecimal}

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class KeyScaleSuite extends SparkFunSuite {

  private def places(dataType: DataType, values: Any*): Seq[Double] = {
    val keyType = KeyType.of(dataType).get
    val keys = values.map(keyType.key)
    val scale = KeyScale.of(keyType, keys)
    keys.map(scale.coordinate)
  }

  private def requireAscending(places: Seq[Double]): Unit = {
    assert(places === places.sorted && places.forall(p => p > 0 && p <= 1), places)
    assert(places.head < places.last)
  }

  test("places are in the order of the values, for every kind of key") {
    requireAscending(places(LongType, Long.MinValue, -1L, 0L, 1L, Long.MaxValue))
    requireAscending(places(IntegerType, -5, 0, 7))
    requireAscending(
      places(DoubleType, Double.NegativeInfinity, -1.0, 0.0, 2.0, Double.MaxValue, Double.PositiveInfinity, Double.NaN))
    requireAscending(places(BooleanType, false, true))
    requireAscending(places(StringType, Seq("user-1", "user-15", "user-2", "user-é").map(UTF8String.fromString): _*))
    requireAscending(places(BinaryType, Array[Byte](), Array[Byte](1), Array[Byte](1, 0), Array[Byte](-1)))
    requireAscending(places(
      DecimalType(30, 2),
      Seq("-1.50", "0.00", "12345678901234567890.12").map(d =>
        Decimal(new JavaDecimal(d), 30, 2)): _*))
  }

  test("values an even step apart have places an even step apart") {
    for (values <- Seq(Seq(10L, 20L, 30L), Seq(Long.MaxValue - 20, Long.MaxValue - 10, Long.MaxValue))) {
      val Seq(low, middle, high) = places(LongType, values: _*)
      assert(math.abs((low + high) / 2 - middle) < 1e-9)
    }
    val Seq(low, middle, high) = places(DoubleType, 1.0, 500.0, 999.0)
    assert(math.abs((low + high) / 2 - middle) < 1e-9)
  }

  test("NULL lies below, what is outside at the ends, and a single value somewhere between") {
    val keyType = KeyType.of(LongType).get
    val scale = KeyScale.of(keyType, Seq(10L, 20L))
    assert(scale.coordinate(null) === 0.0 && scale.coordinate(10L) > 0)
    assert(scale.coordinate(-5L) === scale.coordinate(10L) && scale.coordinate(99L) === 1.0)
    val one = KeyScale.of(keyType, Seq(10L))
    assert(one.coordinate(10L) > one.coordinate(null) && one.coordinate(10L) === one.coordinate(77L))
    assert(KeyScale.of(keyType, Nil).coordinate(null) === 0.0)
  }
}
