// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.expressions

import java.util.Arrays

import scala.util.Random

import io.sparkzorder.{DailyTest, ZOrderSharedSession}
import io.sparkzorder.column.{KeyType, OrderableTypes, ZOrderCode}
import io.sparkzorder.errors.ZOrderAnalysisException

import org.apache.spark.sql.QueryTest
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, ExpressionEvalHelper, Literal}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class ZOrderKeySuite extends QueryTest with ZOrderSharedSession with ExpressionEvalHelper {

  private val types = OrderableTypes.all.filter(ZOrderCode.of(_).isDefined)

  private def values(dataType: DataType, size: Int, seed: Long): IndexedSeq[Any] =
    OrderableTypes.internalValues(dataType, size, seed).toIndexedSeq

  private def keyOf(types: Seq[DataType], row: Seq[Any]): Array[Byte] =
    ZOrderKey(types.zipWithIndex.map { case (t, i) => BoundReference(i, t, nullable = true) })
      .eval(InternalRow.fromSeq(row)).asInstanceOf[Array[Byte]]

  /** As text, so that nothing is shared with the kernel. */
  private def bits(dataType: DataType, value: Any): String = {
    val code = ZOrderCode.of(dataType).get
    val written = new Array[Byte](code.length)
    if (value != null) code.write(value, written)
    written.map(b => String.format("%8s", Integer.toBinaryString(b & 0xff)).replace(' ', '0')).mkString
  }

  /** By the column with the most significant bit that differs; of several such columns by the first. */
  private def naive(left: Seq[String], right: Seq[String]): Int = {
    val differing = left.zip(right).zipWithIndex.flatMap { case ((a, b), i) =>
      val at = a.zip(b).indexWhere { case (x, y) => x != y }
      if (at < 0) None else Some((at, i))
    }
    differing.minOption.fold(0) { case (at, i) => left(i)(at).compare(right(i)(at)) }
  }

  /** What counts of a value. */
  private def counted(dataType: DataType, value: Any): Any = (dataType, value) match {
    case (_, null) => null
    case (BinaryType, bytes: Array[Byte]) => bytes.take(ZOrderCode.PrefixLength).padTo(16, 0.toByte)
    case (s: StringType, text: UTF8String) =>
      val key = KeyType.of(s).get.key(text).asInstanceOf[UTF8String]
      UTF8String.fromBytes(key.getBytes.take(ZOrderCode.PrefixLength).padTo(16, 0.toByte))
    case (_, other) => other
  }

  for (dataType <- types)
    test(s"${dataType.sql}: keys of one column compare as Spark compares the values") {
      val some = values(dataType, 120, seed = 3)
      // Padded prefixes are compared as bytes, whatever the collation.
      val order = KeyType.of(if (dataType.isInstanceOf[StringType]) StringType else dataType).get
      def compare(a: Any, b: Any): Int = (counted(dataType, a), counted(dataType, b)) match {
        case (null, null) => 0
        case (null, _) => -1
        case (_, null) => 1
        case (x, y) => order.compare(order.key(x), order.key(y))
      }
      val keys = some.map(v => keyOf(Seq(dataType), Seq(v)))
      for (i <- some.indices; j <- some.indices)
        assert(
          Integer.signum(Arrays.compareUnsigned(keys(i), keys(j))) === Integer.signum(compare(some(i), some(j))),
          s"${some(i)} and ${some(j)}")
    }

  test("decimals of a negative scale compare as numbers") {
    withSQLConf("spark.sql.legacy.allowNegativeScaleOfDecimal" -> "true") {
      for (precision <- Seq(5, 30)) {
        val dataType = DecimalType(precision, -3)
        val keys = Seq(-99000, -1000, 0, 1000, 99000)
          .map(n => keyOf(Seq(dataType), Seq(Decimal(BigDecimal(n).setScale(-3), precision, -3))))
        assert(keys.zip(keys.drop(1)).forall { case (a, b) => Arrays.compareUnsigned(a, b) < 0 })
      }
    }
  }

  test("keys of two to five columns of any types compare by the most significant bit that differs") {
    val random = new Random(17)
    for (round <- 0 until 60) {
      val chosen = Seq.fill(2 + round % 4)(types(random.nextInt(types.size)))
      val columns = chosen.zipWithIndex.map { case (t, i) => values(t, 30, seed = 100 * round + i) }
      val rows = Seq.fill(30)(columns.map(c => c(random.nextInt(c.size))))
      val keys = rows.map(keyOf(chosen, _))
      val naively = rows.map(row => chosen.zip(row).map { case (t, v) => bits(t, v) })
      for (i <- rows.indices; j <- rows.indices)
        assert(
          Integer.signum(Arrays.compareUnsigned(keys(i), keys(j))) === Integer.signum(naive(naively(i), naively(j))),
          s"$chosen: ${rows(i)} and ${rows(j)}")
    }
  }

  test("more columns than one group of bits has room for") {
    val random = new Random(5)
    val chosen = Seq.fill(11)(IntegerType)
    val rows = Seq.fill(40)(Seq.fill(11)(random.nextInt(4): Any))
    val keys = rows.map(keyOf(chosen, _))
    val naively = rows.map(_.map(bits(IntegerType, _)))
    for (i <- rows.indices; j <- rows.indices)
      assert(
        Integer.signum(Arrays.compareUnsigned(keys(i), keys(j))) === Integer.signum(naive(naively(i), naively(j))))
  }

  test("interpreted and generated alike, for every type, with NULL") {
    for (dataType <- types; value <- values(dataType, 12, seed = 9)) {
      val expected = keyOf(Seq(dataType, IntegerType), Seq(value, 5))
      checkEvaluation(
        ZOrderKey(Seq(BoundReference(0, dataType, nullable = true), Literal(5))),
        expected,
        InternalRow.fromSeq(Seq(value)))
    }
    checkEvaluation(
      ZOrderKey(Seq(Literal(null, NullType), Literal(1))),
      keyOf(Seq(NullType, IntegerType), Seq(null, 1)))
  }

  test("known orders", DailyTest) {
    val grid = Seq("00", "01", "10", "11", "02", "03", "12", "13", "20", "21", "30", "31", "22", "23", "32", "33")
    val points = sql("SELECT concat(x.id, y.id) FROM range(4) x, range(4) y ORDER BY zorder_key(x.id, y.id)")
    assert(points.collect().map(_.getString(0)).toSeq === grid)
    val pairs = Seq(
      (1, 3) -> (2, 0),
      (0, 1) -> (1, 0),
      (1, 7) -> (2, 4),
      (3, 7) -> (4, 0),
      (5, 7) -> (6, 4),
      (5, 5) -> (6, 4),
      (3, 7) -> (6, 1),
      (-4, -3) -> (-3, -4),
      (-5, -10) -> (1, 1)
    )
    // Whatever the widths of the types.
    for (((a, b), (c, d)) <- pairs; other <- Seq("INT", "BIGINT", "TINYINT", "DECIMAL(12, 0)")) {
      val key = s"zorder_key(x, CAST(y AS $other))"
      val first = sql(s"SELECT x, y FROM VALUES ($a, $b), ($c, $d) AS t(x, y) ORDER BY $key").head()
      assert((first.getInt(0), first.getInt(1)) === ((a, b)), other)
    }
  }

  test("dates and timestamps count alike") {
    def hex(columns: String) = sql(s"SELECT hex(zorder_key($columns))").head().getString(0)
    assert(hex("DATE'2024-02-29', 1") === hex("TIMESTAMP_NTZ'2024-02-29 00:00:00', 1"))
    assert(hex("7Y, 1") === hex("7L, 1") && hex("-0.0D") === hex("0.0D"))
  }

  test("bad arguments") {
    for ((call, condition) <- Seq(
        "zorder_key()" -> "ZORDER_NO_KEY_COLUMN",
        "zorder_key(1, map(1, 2))" -> "ZORDER_INVALID_ARGUMENT_TYPE",
        "zorder_key(named_struct('a', 1))" -> "ZORDER_INVALID_ARGUMENT_TYPE"
      ))
      assert(intercept[ZOrderAnalysisException](sql(s"SELECT $call")).getCondition === condition)
  }
}
