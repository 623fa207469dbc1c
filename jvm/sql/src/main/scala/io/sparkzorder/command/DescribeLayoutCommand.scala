// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.format.ReadableTable
import io.sparkzorder.plan.{DescribeLayoutStatement, TableFunctions}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.types._

/**
 * `DESCRIBE LAYOUT <table> [ON (...)] [WHERE ...]`: per column, how well it separates the files, for people to read;
 * [[LayoutColumnsCommand]] has the same with all figures.
 */
case class DescribeLayoutCommand(table: ReadableTable, columns: Seq[ZOrderColumn], predicate: Option[Expression])
    extends StatementCommand {

  override val output: Seq[Attribute] = Seq(
    AttributeReference("column", StringType, nullable = false)(),
    AttributeReference("files", LongType, nullable = false)(),
    AttributeReference("size", StringType, nullable = false)(),
    AttributeReference("min", StringType)(),
    AttributeReference("max", StringType)(),
    AttributeReference("point_read_share", DoubleType)(),
    AttributeReference("verdict", StringType, nullable = false)(),
    AttributeReference("reason", StringType, nullable = false)()
  )

  override protected def statement: String = DescribeLayoutStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] = {
    val rows = ColumnLayout.of(session, table, columns, predicate, allRows = false).map { layout =>
      val rating = layout.rating(inFull = false)
      Seq[Any](
        layout.column.toString,
        layout.ranges.files.toLong,
        HumanReadable.bytes(layout.bytes),
        TextTable.cut(layout.min, DescribeLayoutCommand.BoundWidth),
        TextTable.cut(layout.max, DescribeLayoutCommand.BoundWidth),
        layout.read.map(r => BigDecimal(r.share).setScale(4, BigDecimal.RoundingMode.HALF_UP).toDouble).orNull,
        rating.word,
        rating.reason
      )
    }
    val names = output.map(_.name)
    TextTable.fit(names, rows, names.indexOf("column"), Seq("min", "max").map(names.indexOf(_))).map(Row.fromSeq)
  }
}

private[command] object DescribeLayoutCommand {

  // Of a bound: enough for a date and its hour.
  private val BoundWidth = 14
}

/**
 * The rows of `describe_layout(...)`: per column, how well it separates the files, in exact figures.
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
      val rating = layout.rating(inFull = true)
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
        rating.word,
        rating.reason
      )
    }
}
