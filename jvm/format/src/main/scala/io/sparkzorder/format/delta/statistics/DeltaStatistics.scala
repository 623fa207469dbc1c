// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.statistics

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import io.sparkzorder.column.{ColumnPath, ColumnStatistics}

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.delta.DeltaColumnMapping
import org.apache.spark.sql.types._

/**
 * Reads the statistics of the Delta log: JSON by physical column names.
 *
 * Strings are truncated to 32 characters with the maximum rounded up, and timestamps are cut to milliseconds, so that
 * readers add one millisecond to a maximum; see [[DeltaStatistics.readerMax]].
 */
private[delta] class DeltaStatistics(schema: StructType, zone: Option[String]) {

  // A decimal must not pass through a double.
  private val mapper = new ObjectMapper().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)

  private val columns = scala.collection.mutable.Map.empty[ColumnPath, (Seq[String], DataType)]

  /** The statistics of a file; None where there are none. */
  def parse(json: String): Option[JsonNode] = Option(json).filter(_.nonEmpty).map(mapper.readTree)

  def column(statistics: JsonNode, column: ColumnPath): ColumnStatistics = synchronized {
    val (physical, dataType) = columns.getOrElseUpdate(column, DeltaStatistics.stored(column, schema))
    def value(kind: String) = convert(at(statistics.path(kind), physical), dataType)
    val nulls = at(statistics.path("nullCount"), physical)
    ColumnStatistics(
      value("minValues"),
      value("maxValues"),
      if (nulls.isIntegralNumber) Some(nulls.longValue) else None)
  }

  private def at(node: JsonNode, path: Seq[String]): JsonNode = path.foldLeft(node)(_ path _)

  private def convert(node: JsonNode, dataType: DataType): Any = dataType match {
    case _ if !node.isValueNode || node.isNull => null
    case _: StructType | _: ArrayType | _: MapType | _: VariantType => null
    case _ => Cast(Literal(node.asText), dataType, zone, ansiEnabled = false).eval()
  }
}

private[delta] object DeltaStatistics {

  /** The types of which Delta's log and a footer keep bounds as Spark orders them. */
  def hasBounds(dataType: DataType): Boolean = dataType match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case s: StringType => s == StringType
    case _ => false
  }

  /** A bound at or above every value, for one out of the log. */
  def readerMax(max: Any, dataType: DataType): Any = (max, dataType) match {
    case (micros: Long, TimestampType | TimestampNTZType) if micros < Long.MaxValue - 1000 => micros + 1000
    case _ => max
  }

  /** The physical names and the type of a column, by which statistics and data files know it. */
  def stored(column: ColumnPath, schema: StructType): (Seq[String], DataType) = {
    val fields = column.parts.scanLeft((null: StructField, schema: DataType)) { case ((_, parent), part) =>
      val field = parent.asInstanceOf[StructType](part)
      (field, field.dataType)
    }
    (fields.tail.map(f => DeltaColumnMapping.getPhysicalName(f._1)), fields.last._2)
  }
}
