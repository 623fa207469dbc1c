// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.format.delta.statistics

import io.sparkzorder.column.ColumnStatistics

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.json.StructsToJsonEvaluator
import org.apache.spark.sql.delta.stats.StatisticsCollection
import org.apache.spark.sql.delta.stats.DeltaStatistics.{MAX, MIN, NULL_COUNT, NUM_RECORDS, TIGHT_BOUNDS}
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

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
  def of(rows: Long, columns: Map[Seq[String], ColumnStatistics]): String = {
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
