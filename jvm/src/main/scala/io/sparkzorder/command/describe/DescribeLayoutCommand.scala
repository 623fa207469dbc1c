// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command.describe

import io.sparkzorder.column.{ColumnStatistics, ZOrderColumn}
import io.sparkzorder.command.StatementCommand
import io.sparkzorder.config.ZOrderConf
import io.sparkzorder.expressions.FileDepth
import io.sparkzorder.format.{ClusterableTable, DataFile, TableSnapshot}
import io.sparkzorder.layout.measure.{DepthTable, FileRanges}
import io.sparkzorder.plan.DescribeLayoutStatement

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.Average
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Sample}
import org.apache.spark.sql.types._
import org.apache.spark.sql.zorder.SparkInternals

/**
 * `DESCRIBE LAYOUT <table> [ON (...)] [WHERE ...]`: per column, how well the files are told apart by it.
 *
 * Everything comes from the statistics used for data skipping. Only the share that a point lookup reads also needs to
 * know how often each value is looked up: that is drawn from the rows, by one job that reads the columns alone.
 */
case class DescribeLayoutCommand(table: ClusterableTable, columns: Seq[ZOrderColumn], predicate: Option[Expression])
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
    AttributeReference("point_read_share", DoubleType)()
  )

  override protected def statement: String = DescribeLayoutStatement.Name

  override protected def execute(session: SparkSession): Seq[Row] = {
    val snapshot = table.snapshot(session)
    val files = snapshot.files(predicate)
    val described = DescribeLayoutCommand.columns(columns, snapshot)
    val ranges = described.map(DataFile.ranges(files, _))
    val shares = readShares(session, snapshot, files, described.zip(ranges))
    described.indices.map(i => row(session, files, described(i), ranges(i), shares(i)))
  }

  private def row(
      session: SparkSession,
      files: IndexedSeq[DataFile],
      column: ZOrderColumn,
      ranges: FileRanges,
      share: Any): Row = {
    val statistics = files.map(_.statistics(column.path))
    def extreme(of: ColumnStatistics => Any, pick: (IndexedSeq[Any], Ordering[Any]) => Any): String = {
      val values = statistics.map(of).filter(_ != null)
      val byKey = Ordering.by((v: Any) => column.keyType.key(v))(column.keyType.ordering)
      if (values.isEmpty) null else ValueText.of(pick(values, byKey), column.dataType, session.sessionState.conf)
    }
    Row(
      column.toString,
      files.size.toLong,
      DescribeLayoutCommand.sum(files.map(_.rows)),
      files.map(_.bytes).sum,
      extreme(_.min, _.min(_)),
      extreme(_.max, _.max(_)),
      DescribeLayoutCommand.sum(statistics.map(_.nullCount)),
      ranges.averageOverlaps,
      ranges.averageDepth,
      ranges.maxDepth,
      ranges.depthHistogram,
      share
    )
  }

  /** Per column, the mean share of the files that a point lookup reads; null without a value. */
  private def readShares(
      session: SparkSession,
      snapshot: TableSnapshot,
      files: IndexedSeq[DataFile],
      columns: Seq[(ZOrderColumn, FileRanges)]): Seq[Any] =
    if (files.isEmpty || columns.isEmpty) columns.map(_ => null)
    else {
      val data = SparkInternals.plan(snapshot.read(files))
      val limit = ZOrderConf.describeRowLimit(session.sessionState.conf)
      val drawn = DescribeLayoutCommand.sum(files.map(_.rows)) match {
        case rows: Long if rows > limit => Sample(0.0, limit.toDouble / rows, withReplacement = false, 1L, data)
        case _ => data
      }
      val depths = columns.map { case (column, ranges) =>
        val depth = FileDepth(column.path.in(data.output), column.keyType, DepthTable.of(ranges, column.keyType))
        Alias(Average(depth).toAggregateExpression(), "depth")()
      }
      val result = SparkInternals.dataFrame(session, Aggregate(Nil, depths, drawn)).head()
      columns.indices.map(i => if (result.isNullAt(i)) null else result.getDouble(i) / files.size)
    }
}

object DescribeLayoutCommand {

  /** The columns asked for; without any, all that have statistics and an order. */
  private[command] def columns(asked: Seq[ZOrderColumn], snapshot: TableSnapshot): Seq[ZOrderColumn] =
    if (asked.nonEmpty) asked.map(c => c.in(snapshot.schema).getOrElse(c))
    else snapshot.columnsWithStatistics.flatMap(ZOrderColumn.of(_, snapshot.schema))

  /** The sum as a boxed long; null if a part is not known. */
  private[command] def sum(parts: Seq[Option[Long]]): Any = if (parts.forall(_.isDefined)) parts.flatten.sum else null
}
