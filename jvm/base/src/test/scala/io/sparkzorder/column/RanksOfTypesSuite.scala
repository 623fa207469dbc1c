// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import scala.util.Random

import io.sparkzorder.key.ColumnRanks

import org.apache.commons.lang3.SerializationUtils

import org.apache.spark.SparkFunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** [[ColumnRanks]] of the values of every type. */
class RanksOfTypesSuite extends SparkFunSuite {

  private def ranks(dataType: DataType, sample: Seq[Any], bits: Int): ColumnRanks = {
    val keyType = KeyType.of(dataType).get
    ColumnRanks.of(keyType, sample.map(keyOf(keyType, _)).toArray, bits)
  }

  private def keyOf(keyType: KeyType, value: Any): Any = if (value == null) null else keyType.key(value)

  private def rank(ranks: ColumnRanks, value: Any): Long =
    ranks.rankOf(keyOf(ranks.order.asInstanceOf[KeyType], value))

  /** The rank of the reference model: the share of the sample strictly below, NULLs included, by Spark's own order. */
  private def reference(dataType: DataType, sample: Seq[Any], value: Any, bits: Int): Long = {
    val ordering = RowOrdering.createNaturalAscendingOrdering(Seq(dataType))
    val below = sample.count(s => ordering.compare(InternalRow(s), InternalRow(value)) < 0)
    val share = (BigInt(below) << bits) / sample.size
    share.min((BigInt(1) << bits) - 1).toLong
  }

  for (dataType <- OrderableTypes.all)
    test(s"${dataType.sql}: ranks follow Spark's order and the reference") {
      val sample = OrderableTypes.internalValues(dataType, 200, seed = 11)
      val asked = OrderableTypes.internalValues(dataType, 60, seed = 12)
      val ordering = RowOrdering.createNaturalAscendingOrdering(Seq(dataType))
      for (bits <- Seq(3, 15, 31, 63)) {
        val table = ranks(dataType, sample, bits)
        val seen = (asked ++ sample).map(v => v -> rank(table, v))
        seen.foreach { case (value, rank) =>
          assert(rank >= 0 && BigInt(rank) < (BigInt(1) << bits))
          // A value has at least rank 1 where NULL was sampled: rank 0 is NULL's.
          val expected = reference(dataType, sample, value, bits)
          assert(rank === (if (value == null) 0L else math.max(1L, expected)), s"$value, $bits bits")
        }
        for ((a, rankOfA) <- seen.take(60); (b, rankOfB) <- seen.take(60)) {
          val order = ordering.compare(InternalRow(a), InternalRow(b))
          if (order < 0) assert(rankOfA <= rankOfB, s"$a, $b, $bits bits")
          if (order == 0) assert(rankOfA === rankOfB, s"$a, $b, $bits bits")
        }
      }
    }

  private val valueOrder: Seq[(DataType, Seq[Any])] = Seq(
    DoubleType -> Seq(
      Double.NegativeInfinity,
      -921614.125,
      -921614.0625,
      -1.5,
      -1.0,
      -0.0,
      5.716890676284865e-207,
      5.7168911255697246e-207,
      1.0,
      Math.nextUp(1.0),
      Double.PositiveInfinity,
      Double.NaN
    ),
    DecimalType(10, 2) -> Seq("-1.00", "0.00", "0.10", "0.99", "1.00", "100.00").map(d =>
      Decimal(BigDecimal(d), 10, 2)),
    StringType -> Seq("", "a", "aa", "b", "ba", "\u00e9", "\ud83d\ude00").map(UTF8String.fromString),
    BooleanType -> Seq(false, true)
  )

  for ((dataType, ascending) <- valueOrder)
    test(s"${dataType.sql}: sampled values that differ have ranks that differ, in order, NULL below all") {
      val sample = null +: ascending
      val table = ranks(dataType, new Random(1).shuffle(sample), bits = 21)
      val found = sample.map(rank(table, _))
      found.zip(found.tail).foreach { case (a, b) => assert(a < b) }
    }

  test("-0.0 and 0.0 are one value, and every NaN is one above infinity") {
    val table = ranks(DoubleType, Seq(-1.0, -0.0, 0.0, 1.0, Double.PositiveInfinity, Double.NaN), 30)
    assert(rank(table, -0.0) === rank(table, 0.0))
    val otherNaN = java.lang.Double.longBitsToDouble(0xfff8000000000001L)
    assert(rank(table, otherNaN) === rank(table, Double.NaN))
    assert(rank(table, Double.NaN) > rank(table, Double.PositiveInfinity))
  }

  test("strings that a collation holds equal have one rank") {
    val sample = Seq("a", "B", "b", "C").map(UTF8String.fromString)
    val table = ranks(StringType("UTF8_LCASE"), sample, 30)
    assert(rank(table, UTF8String.fromString("A")) === rank(table, UTF8String.fromString("a")))
    assert(rank(table, UTF8String.fromString("a")) < rank(table, UTF8String.fromString("B")))
    assert(rank(table, UTF8String.fromString("B")) < rank(table, UTF8String.fromString("c")))
  }

  test("a sample without a row, and one of NULLs alone") {
    for (dataType <- OrderableTypes.all; sample <- Seq(Nil, Seq(null, null)); bits <- Seq(3, 63)) {
      val table = ranks(dataType, sample, bits)
      assert(table.bounds.size === 0)
      assert(rank(table, null) === 0L)
      val found = OrderableTypes.internalValues(dataType, 20, seed = 3).filter(_ != null).map(rank(table, _)).distinct
      assert(found.size === 1 && BigInt(found.head) < (BigInt(1) << bits))
      if (sample.nonEmpty) assert(found.head > 0)
    }
  }

  test("a table of ranks keeps its ranks when it is serialized") {
    for (dataType <- OrderableTypes.all) {
      val sample = OrderableTypes.internalValues(dataType, 50, seed = 5)
      val table = ranks(dataType, sample, 20)
      val copy = SerializationUtils.clone(table)
      sample.foreach(v => assert(rank(copy, v) === rank(table, v)))
    }
  }
}
