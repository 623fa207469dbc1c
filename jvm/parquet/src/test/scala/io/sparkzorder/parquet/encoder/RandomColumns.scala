// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.parquet.encoder

import scala.util.Random

import io.sparkzorder.column.{NewerOrderableTypes, NewerTypes}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, DateTimeConstants, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Rows by chance, of all types that Parquet files of Spark can have; a column has values of one habit. */
private[encoder] final class RandomColumns(chance: Random, only: DataType => Boolean = _ => true) {

  private val flat: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DecimalType(9, 2),
    DecimalType(18, 4),
    DecimalType(19, 0),
    DecimalType(38, 10),
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    StringType("UTF8_LCASE")
  ).++(NewerOrderableTypes.all).filter(only)

  private def nested: DataType = chance.nextInt(4) match {
    case 0 => ArrayType(anyFlat, chance.nextBoolean())
    case 1 => MapType(StringType, anyFlat)
    case 2 => StructType(Seq(StructField("x", anyFlat), StructField("y", ArrayType(anyFlat))))
    case _ => StructType(Seq(StructField("z", StructType(Seq(StructField("w", anyFlat))))))
  }

  private def anyFlat: DataType = flat(chance.nextInt(flat.size))

  def schema(columns: Int, nestedShare: Double): StructType = StructType((0 until columns).map { i =>
    StructField(s"c$i", if (chance.nextDouble() < nestedShare) nested else anyFlat, chance.nextInt(4) > 0)
  })

  def rows(schema: StructType, n: Int): IndexedSeq[UnsafeRow] = {
    val columns = schema.map(f => column(f.dataType, f.nullable, n)).toArray
    val projection = UnsafeProjection.create(schema)
    (0 until n).map(i => projection(InternalRow.fromSeq(columns.map(_(i)).toSeq)).copy())
  }

  /** Values of a column, by row. */
  private def column(dataType: DataType, isNullable: Boolean, n: Int): Int => Any = {
    val nulls = if (isNullable) Seq(0.0, 0.0, 0.001, 0.1, 0.5, 0.99, 1.0)(chance.nextInt(7)) else 0.0
    val distinct = Seq(1, 3, 200, 3000, n + 1)(chance.nextInt(5))
    val pool = Array.fill(math.min(distinct, n + 1))(value(dataType))
    val isInRuns = chance.nextBoolean()
    val runs = Array.fill(n / 50 + 1)((chance.nextInt(pool.length), chance.nextDouble() < nulls))
    i => {
      val isNull = if (isInRuns) runs(i / 50)._2 else chance.nextDouble() < nulls
      if (isNull) null else if (isInRuns) pool(runs(i / 50)._1) else pool(chance.nextInt(pool.length))
    }
  }

  private def value(dataType: DataType): Any = dataType match {
    case BooleanType => chance.nextBoolean()
    case ByteType => chance.nextInt().toByte
    case ShortType => chance.nextInt().toShort
    case IntegerType | _: YearMonthIntervalType =>
      if (rarely) Int.MinValue else if (rarely) Int.MaxValue else chance.nextInt()
    case DateType => chance.nextInt(200000) - 100000
    case LongType | _: DayTimeIntervalType =>
      if (rarely) Long.MinValue else if (rarely) Long.MaxValue else chance.nextLong()
    case TimestampType | TimestampNTZType => chance.nextLong() / 1000
    case FloatType => if (rarely) specialFloats(chance.nextInt(specialFloats.size)) else chance.nextInt(1000) / 8f
    case DoubleType => if (rarely) specialDoubles(chance.nextInt(specialDoubles.size)) else chance.nextGaussian()
    case d: DecimalType =>
      val digits = 1 + chance.nextInt(d.precision)
      val unscaled = BigInt(Seq.fill(digits)(chance.nextInt(10)).mkString) * (if (chance.nextBoolean()) 1 else -1)
      Decimal(BigDecimal(unscaled, d.scale), d.precision, d.scale)
    case time if NewerTypes.isTime(time) =>
      chance.nextLong(DateTimeConstants.MICROS_PER_DAY) * DateTimeConstants.NANOS_PER_MICROS
    case _: StringType => UTF8String.fromString(text)
    case BinaryType => bytes
    case ArrayType(element, containsNull) =>
      new GenericArrayData(Array.fill[Any](chance.nextInt(4))(if (containsNull && rarely) null else value(element)))
    case MapType(_, element, _) =>
      val keys = (0 until chance.nextInt(3)).map(i => UTF8String.fromString(s"k$i"))
      ArrayBasedMapData(keys.toArray[Any], keys.map(_ => if (rarely) null else value(element)).toArray[Any])
    case s: StructType => InternalRow.fromSeq(s.map(f => if (rarely) null else value(f.dataType)))
    case other => throw new IllegalArgumentException(s"no values of ${other.sql}")
  }

  private def rarely = chance.nextInt(10) == 0

  private val specialFloats = Seq(Float.NaN, -0.0f, 0.0f) ++
    Seq(Float.PositiveInfinity, Float.NegativeInfinity, Float.MinPositiveValue, -Float.MaxValue)
  private val specialDoubles = Seq(Double.NaN, -0.0, 0.0) ++
    Seq(Double.PositiveInfinity, Double.NegativeInfinity, Double.MinPositiveValue, -Double.MaxValue)

  private def text: String = chance.nextInt(40) match {
    case 0 => ""
    case 1 => "é漢字🙂" * chance.nextInt(30)
    case 2 => "same-prefix-of-many-bytes-" * 4 + chance.nextInt(1000)
    case 3 => chance.alphanumeric.take(chance.nextInt(2000)).mkString
    case _ => chance.alphanumeric.take(chance.nextInt(24)).mkString
  }

  private def bytes: Array[Byte] = {
    val value = new Array[Byte](chance.nextInt(if (rarely) 300 else 17))
    chance.nextBytes(value)
    value
  }
}
