package io.sparkzorder.parquet.footer

import java.math.BigInteger

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeUnit, TimestampLogicalTypeAnnotation}
import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * What is known of a column of a file.
 *
 * @param min
 *   the smallest value in Spark's internal form, null where there is none or it is not known
 * @param max
 *   the largest, likewise
 * @param nulls
 *   rows without a value; None where not known
 * @param bounded
 *   whether `min` and `max` are known: all values lie between them, or they are null and there is no value
 */
final case class FooterColumn(min: Any, max: Any, nulls: Option[Long], bounded: Boolean)

object FooterColumn {

  val unknown: FooterColumn = FooterColumn(null, null, None, bounded = false)

  /** The types whose bounds a footer keeps as Spark orders them. */
  def hasBounds(dataType: DataType): Boolean = dataType match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case s: StringType => s == StringType
    case _ => false
  }

  /**
   * @param chunks
   *   the column's, one for each row group
   */
  def of(chunks: Seq[ColumnChunkMetaData], dataType: DataType): FooterColumn = {
    val parts = chunks.map(ofChunk(_, dataType))
    val nulls = parts.foldLeft(Option(0L))((sum, p) => for (a <- sum; b <- p.nulls) yield a + b)
    if (!hasBounds(dataType) || parts.exists(!_.bounded)) FooterColumn(null, null, nulls, bounded = false)
    else {
      val order = TypeUtils.getInterpretedOrdering(dataType)
      val filled = parts.filter(_.min != null)
      val min = filled.map(_.min).reduceOption((a, b) => if (order.lteq(a, b)) a else b)
      val max = filled.map(_.max).reduceOption((a, b) => if (order.gteq(a, b)) a else b)
      FooterColumn(min.orNull, max.orNull, nulls, bounded = true)
    }
  }

  private def ofChunk(chunk: ColumnChunkMetaData, dataType: DataType): FooterColumn = {
    val statistics: Statistics[_] = chunk.getStatistics
    if (statistics == null || !statistics.isNumNullsSet) unknown
    else {
      val nulls = Some(statistics.getNumNulls)
      // Without bounds there are either no values, or some that have no place in them: NaN, or a string too long.
      if (!statistics.hasNonNullValue) FooterColumn(null, null, nulls, statistics.getNumNulls == chunk.getValueCount)
      else {
        val (min, max) = bounds(statistics, chunk.getPrimitiveType, dataType)
        FooterColumn(min, max, nulls, min != null && max != null)
      }
    }
  }

  private def bounds(statistics: Statistics[_], stored: PrimitiveType, dataType: DataType): (Any, Any) =
    (
      value(statistics.genericGetMin, stored, dataType),
      value(statistics.genericGetMax, stored, dataType)
    )

  /** A stored value in Spark's internal form; null where it is stored otherwise than Spark writes it today. */
  private def value(any: Any, stored: PrimitiveType, dataType: DataType): Any = (dataType, any) match {
    case (ByteType, i: Int) => i.toByte
    case (ShortType, i: Int) => i.toShort
    case (IntegerType | DateType, i: Int) => i
    case (LongType, l: Long) => l
    case (FloatType, f: Float) => f
    case (DoubleType, d: Double) => d
    case (d: DecimalType, i: Int) => Decimal(i.toLong, d.precision, d.scale)
    case (d: DecimalType, l: Long) => Decimal(l, d.precision, d.scale)
    case (d: DecimalType, b: Binary) =>
      Decimal(new java.math.BigDecimal(new BigInteger(b.getBytes), d.scale), d.precision, d.scale)
    case (TimestampType | TimestampNTZType, micros: Long) if isMicros(stored) => micros
    case (_: StringType, b: Binary) => UTF8String.fromBytes(b.getBytes)
    case _ => null
  }

  private def isMicros(stored: PrimitiveType): Boolean = stored.getLogicalTypeAnnotation match {
    case t: TimestampLogicalTypeAnnotation => t.getUnit == TimeUnit.MICROS
    case _ => false
  }
}
