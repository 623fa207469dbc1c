// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.describe

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.command.StatementCommand
import io.sparkzorder.format.ReadableTable
import io.sparkzorder.plan.TableFunctions

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types._

/**
 * The rows of `describe_layout(...)`: per column, how well the files are told apart by it, in exact figures.
 *
 * @param allRows
 *   whether point lookups are looked up for every row, not for a sample
 */
case class LayoutColumnsCommand(
    table: ReadableTable,
    columns: Seq[ZOrderColumn],
    predicate: Option[Expression],
    allRows: Boolean)
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("column", StringType, nullable = false)(),
    AttributeReference("files", LongType, nullable = false)(),
    AttributeReference("rows", LongType)(),
    AttributeReference("bytes", LongType, nullable = false)(),
    AttributeReference("min", StringType)(),
    AttributeReference("max", StringType)(),
    AttributeReference("null_count", LongType)(),
    AttributeReference("average_overlaps", DoubleType, nullable = false)(),
    AttributeReference("average_depth", DoubleType, nullable = false)(),
    AttributeReference("max_depth", IntegerType, nullable = false)(),
    AttributeReference("depth_histogram", MapType(IntegerType, LongType, valueContainsNull = false))(),
    AttributeReference("point_read_share", DoubleType)(),
    AttributeReference("standard_error", DoubleType)(),
    AttributeReference("verdict", StringType, nullable = false)(),
    AttributeReference("reason", StringType, nullable = false)()
  )

  override protected def statement: String = TableFunctions.DescribeLayout

  override protected def execute(session: SparkSession): Seq[Row] =
    ColumnLayout.of(session, table, columns, predicate, allRows).map { layout =>
      val ranges = layout.ranges
      val verdict = layout.verdict(inFull = true)
      Row(
        layout.column.toString,
        ranges.files.toLong,
        layout.rows,
        layout.bytes,
        layout.min,
        layout.max,
        layout.nullCount,
        ranges.averageOverlaps,
        ranges.averageDepth,
        ranges.maxDepth,
        ranges.depthHistogram,
        layout.read.map(_.share).orNull,
        layout.read.map(_.standardError).filterNot(_.isNaN).orNull,
        verdict.word,
        verdict.reason
      )
    }
}
