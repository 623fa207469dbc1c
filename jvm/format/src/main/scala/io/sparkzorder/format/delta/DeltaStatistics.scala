// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta

import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}
import io.sparkzorder.column.{ColumnPath, ColumnStatistics, SecondsOfOffsets}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.delta.DeltaColumnMapping
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.delta.stats.DeltaStatistics.{MAX, MIN, NULL_COUNT, NUM_RECORDS, TIGHT_BOUNDS}
import org.apache.spark.sql.types.{StructType, _}
import org.apache.spark.unsafe.types.UTF8String

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
    def value(kind: String, sign: Int) = {
      val node = at(statistics.path(kind), physical)
      SecondsOfOffsets.beyond(node.asText, dataType, convert(node, dataType), sign)
    }
    val nulls = at(statistics.path("nullCount"), physical)
    ColumnStatistics(
      value("minValues", -1),
      value("maxValues", 1),
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
    case (micros: Long, TimestampType | TimestampNTZType) =>
      if (micros < Long.MaxValue - 1000) micros + 1000 else Long.MaxValue
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

/**
 * Writes a file's statistics as Delta does: the same structure, truncated strings and timestamps in the same form.
 *
 * @param schema
 *   schema of the statistics, by physical names (Delta's `statsSchema`)
 * @param zone
 *   time zone in which timestamps are written
 * @param stringPrefix
 *   number of characters that are kept of a string
 */
private[delta] class DeltaStatisticsText(schema: StructType, zone: String, stringPrefix: Int) {

  private val json = StructsToJsonEvaluator(Map("ignoreNullFields" -> "true"), schema, Some(zone))

  /**
   * @param columns
   *   statistics of each column, by physical path
   */
  def write(rows: Long, columns: Map[Seq[String], ColumnStatistics]): String = {
    val fields = schema.fields.map { field =>
      field.name match {
        case NUM_RECORDS => rows
        case MIN => struct(field.dataType, Nil, path => low(columns(path).min))
        case MAX => struct(field.dataType, Nil, path => high(columns(path).max))
        case NULL_COUNT => struct(field.dataType, Nil, path => columns(path).nullCount.orNull)
        // Every row of a new file is alive.
        case TIGHT_BOUNDS => true
        case other => throw new IllegalStateException(s"Delta keeps statistics of an unknown kind: $other")
      }
    }
    json.evaluate(InternalRow.fromSeq(fields.toSeq)).toString
  }

  private def struct(dataType: Any, path: Seq[String], value: Seq[String] => Any): InternalRow = {
    val fields = dataType.asInstanceOf[StructType].fields
    InternalRow.fromSeq(fields.toSeq.map { field =>
      field.dataType match {
        case nested: StructType => struct(nested, path :+ field.name, value)
        case _ => value(path :+ field.name)
      }
    })
  }

  private def low(min: Any): Any = min match {
    case text: UTF8String => text.substring(0, stringPrefix)
    case other => other
  }

  /** A cut string is followed by a character above those that were cut off; where none can be, there is no maximum. */
  private def high(max: Any): Any = max match {
    case text: UTF8String =>
      UTF8String.fromString(StatisticsCollection.truncateMaxStringAgg(stringPrefix)(text.toString))
    case other => other
  }
}
