// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.skipping.predicate

import scala.util.Random

import io.sparkzorder.column.{ColumnStatistics, OrderableTypes}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A column as predicates see it. */
case class RandomColumn(expression: Expression, path: Seq[String], dataType: DataType)

/**
 * Files of random rows, of few values each, with statistics that are right but may be vague.
 *
 * Four columns of random types; the last two are fields, one of a field.
 */
class RandomTable(random: Random) {

  private val types = Seq.fill(4)(RandomTable.drawn(random.nextInt(RandomTable.drawn.size)))
  private val inner = new StructType().add("d", types(3))
  private val struct = new StructType().add("c", types(2)).add("n", inner)

  val attributes: Seq[AttributeReference] =
    Seq(AttributeReference("a", types(0))(), AttributeReference("b", types(1))(), AttributeReference("s", struct)())

  val columns: Seq[RandomColumn] = Seq(
    RandomColumn(attributes(0), Seq("a"), types(0)),
    RandomColumn(attributes(1), Seq("b"), types(1)),
    RandomColumn(GetStructField(attributes(2), 0), Seq("s", "c"), types(2)),
    RandomColumn(GetStructField(GetStructField(attributes(2), 1), 0), Seq("s", "n", "d"), types(3))
  )

  val files: IndexedSeq[Seq[InternalRow]] = IndexedSeq.fill(1 + random.nextInt(6))(file())

  val index: IndexInMemory = {
    val statistics = columns.map { column =>
      val bound = BindReferences.bindReference(column.expression, attributes)
      val parts = files.map(rows => statisticsOf(rows.map(bound.eval), column.dataType))
      (column.path, column.dataType) -> ColumnStatistics.ofFiles(parts)
    }
    new IndexInMemory(files.map(rows => IndexedFile("", 0, 0, rows.size.toLong)), statistics.toMap)
  }

  private def file(): Seq[InternalRow] = {
    val draw = types.map { dataType =>
      val pool = RandomTable.pool(dataType)
      val width = 1 + random.nextInt(3)
      val from = random.nextInt(pool.size)
      val nulls = random.nextInt(8) match { case 0 => 1.0; case 1 | 2 => 0.3; case _ => 0.0 }
      () => if (random.nextDouble() < nulls) null else pool((from + random.nextInt(width)).min(pool.size - 1))
    }
    val parents = random.nextInt(6) == 0
    def missing: Boolean = parents && random.nextInt(3) == 0
    Seq.fill(random.nextInt(7)) {
      val innerRow = if (missing) null else InternalRow(draw(3)())
      val structRow = if (missing) null else InternalRow(draw(2)(), innerRow)
      InternalRow(draw(0)(), draw(1)(), structRow)
    }
  }

  private def statisticsOf(values: Seq[Any], dataType: DataType): ColumnStatistics = {
    val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
    val nulls = if (random.nextInt(8) == 0) None else Some(values.count(_ == null).toLong)
    // As of a writer that leaves NaN out of bounds, whether there is NaN or not.
    val withoutNaN = RandomTable.isFloating(dataType) && random.nextInt(3) == 0
    val filled = values.filter(v => v != null && !(withoutNaN && RandomTable.isNaN(v)))
    if (filled.isEmpty || random.nextInt(10) == 0) ColumnStatistics(null, null, nulls, withoutNaN)
    else {
      val (min, max) = (filled.min(order), filled.max(order))
      val (low, high) = random.nextInt(6) match {
        case 0 => (below(min, dataType, order), above(max, dataType, order))
        case 1 => (shortened(min), lengthened(max))
        case _ => (min, max)
      }
      ColumnStatistics(low, high, nulls, withoutNaN)
    }
  }

  private def below(value: Any, dataType: DataType, order: Ordering[Any]): Any =
    random.shuffle(RandomTable.pool(dataType)).find(order.lteq(_, value)).getOrElse(value)

  private def above(value: Any, dataType: DataType, order: Ordering[Any]): Any =
    random.shuffle(RandomTable.pool(dataType)).find(order.gteq(_, value)).getOrElse(value)

  private def shortened(value: Any): Any = value match {
    case s: UTF8String if s.numBytes > 1 => UTF8String.fromBytes(s.getBytes.take(1))
    case b: Array[Byte] if b.length > 1 => b.take(1)
    case other => other
  }

  /** What comes behind all strings that begin with the same byte. */
  private def lengthened(value: Any): Any = value match {
    case s: UTF8String if s.numBytes > 1 && s.getByte(0) > 0 && s.getByte(0) < 127 =>
      UTF8String.fromBytes(Array((s.getByte(0) + 1).toByte))
    case other => other
  }
}

object RandomTable {

  private def isFloating(dataType: DataType): Boolean = dataType == FloatType || dataType == DoubleType

  private def isNaN(value: Any): Boolean = value match {
    case f: Float => f.isNaN
    case d: Double => d.isNaN
    case _ => false
  }

  /** Nested values are never compared: statistics are of leaves. */
  val types: Seq[DataType] = OrderableTypes.all.filter {
    case _: StructType | _: ArrayType => false
    case _ => true
  }

  /** More often the types that have predicates of their own. */
  private val drawn: IndexedSeq[DataType] =
    (types ++ Seq.fill(4)(StringType) ++ Seq.fill(2)(BooleanType) ++ Seq.fill(3)(DoubleType) ++ Seq.fill(3)(
      TimestampType) :+
      FloatType).toIndexedSeq

  private val pools: Map[DataType, IndexedSeq[Any]] = types.map { dataType =>
    val order: Ordering[Any] = TypeUtils.getInterpretedOrdering(dataType)
    val more: Seq[Any] = dataType match {
      case StringType | BinaryType =>
        val texts =
          Seq("ab", "abc", "ab%", "a_c", "\\", "abcd", "\u00e9t\u00e9", "\ufffd", "z").map(UTF8String.fromString) :+
            UTF8String.fromBytes(Array(0x61, 0xff.toByte)) // no UTF-8
        if (dataType == StringType) texts else texts.map(_.getBytes)
      case IntegerType | DateType => Seq(-1, 0, 1, 2, 3, 19000, 19001)
      case LongType => Seq((1L << 53) - 1, 1L << 53, (1L << 53) + 1, (1L << 53) + 2, 2L)
      // Clocks are put back over midnight, by half an hour, and a day comes twice or not at all.
      case TimestampType =>
        for {
          change <- Seq("2011-12-30T10:00:00Z", "2024-04-06T15:00:00Z", "2006-10-29T02:31:00Z", "1867-10-18T08:00:00Z")
          hours <- Seq(-25, -1, 0, 1, 24)
        } yield (java.time.Instant.parse(change).getEpochSecond + hours * 1800L) * 1000000
      case FloatType => Seq(Float.NaN, Float.PositiveInfinity, Float.NegativeInfinity, -0.0f, 0.0f, 1.0f)
      case DoubleType => Seq(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, -0.0, 0.0, 1.0)
      case ByteType => Seq(0, 1, 2).map(_.toByte)
      case ShortType => Seq(0, 1, 2).map(_.toShort)
      case _ => Nil
    }
    val values = OrderableTypes.internalValues(dataType, 60, 7).filter(_ != null) ++ more
    dataType -> values.sorted(order).toIndexedSeq
  }.toMap

  /** Values of a type in its order, some of them equal. */
  def pool(dataType: DataType): IndexedSeq[Any] = pools(dataType)
}
