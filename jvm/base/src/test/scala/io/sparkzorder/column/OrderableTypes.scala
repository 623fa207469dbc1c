// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.column

import scala.util.Random

import org.apache.spark.sql.{RandomDataGenerator, Row}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Every type that Spark can order, with columns of random and of awkward values for tests. */
object OrderableTypes {

  private val struct = new StructType().add("i", IntegerType).add("s", StringType)

  val all: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(10, 2),
    DecimalType(18, 0),
    DecimalType(38, 18),
    StringType,
    StringType("UTF8_LCASE"),
    StringType("UNICODE_CI"),
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    struct,
    ArrayType(IntegerType),
    ArrayType(struct)
  ) ++ NewerOrderableTypes.all

  private val edges: Map[DataType, Seq[Any]] = Map(
    FloatType -> Seq(Float.NegativeInfinity, -1.5f, -0.0f, 0.0f, Float.MinPositiveValue, Float.MaxValue, Float.NaN),
    DoubleType -> Seq(
      Double.NegativeInfinity,
      -921614.125,
      -921614.0625,
      -1.5,
      -1.0,
      -0.0,
      0.0,
      5.716890676284865e-207,
      5.7168911255697246e-207,
      1.0,
      Math.nextUp(1.0),
      Double.PositiveInfinity,
      Double.NaN
    ),
    LongType -> Seq(Long.MinValue, -1L, 0L, Long.MaxValue),
    IntegerType -> Seq(Int.MinValue, -1, 0, Int.MaxValue),
    DecimalType(10, 2) -> Seq("-1.00", "0.00", "0.10", "0.99", "1.00", "100.00").map(new java.math.BigDecimal(_)),
    BinaryType -> Seq("", "a", "\u00ff").map(_.getBytes("ISO-8859-1")),
    struct -> Seq(Row(null, null), Row(1, null), Row(1, ""), Row(1, "a"), Row(2, null)),
    ArrayType(IntegerType) -> Seq[Seq[Any]](Seq(), Seq(null), Seq(1), Seq(1, null), Seq(1, 2), Seq(2))
  )

  private val strings = Seq("", "a", "A", "aa", "b", "B", "ba", "\u00e9", "\u00c9", "\uffff", "\ud83d\ude00")

  /** `size` values as users write them, with nulls and duplicates among them; the same for the same arguments. */
  def values(dataType: DataType, size: Int, seed: Long): Seq[Any] = {
    val random = new Random(seed)
    val some = dataType match {
      case _: StringType => strings ++ Seq.fill(20)(random.alphanumeric.take(random.nextInt(4)).mkString)
      case _ =>
        val generate = RandomDataGenerator.forType(dataType, nullable = false, random).get
        edges.getOrElse(dataType, Nil) ++ Seq.fill(20)(generate())
    }
    Seq.fill(size)(if (random.nextInt(10) == 0) null else some(random.nextInt(some.size)))
  }

  /** The same in Spark's internal form. */
  def internalValues(dataType: DataType, size: Int, seed: Long): Seq[Any] = {
    val conf = new SQLConf()
    NewerOrderableTypes.settings.foreach { case (key, value) => conf.setConfString(key, value) }
    val convert = SQLConf.withExistingConf(conf)(CatalystTypeConverters.createToCatalystConverter(dataType))
    values(dataType, size, seed).map(convert)
  }
}
