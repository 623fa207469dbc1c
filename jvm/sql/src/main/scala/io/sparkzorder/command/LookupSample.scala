// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.command

import scala.util.Random

import io.sparkzorder.column.ZOrderColumn
import io.sparkzorder.expressions.FileDepth
import io.sparkzorder.format.{DataFile, TableSnapshot}
import io.sparkzorder.layout.measure.{DepthSums, DepthTable, FileRanges, ReadShare}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, InputFileName, Multiply}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Sum}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, Sample}
import org.apache.spark.sql.types.DoubleType
import org.apache.spark.sql.zorder.SparkInternals

/**
 * The rows whose values are looked up, for the share of the files that point lookups read.
 *
 * @param drawn
 *   the files that are read
 * @param rate
 *   the chance of each of their rows
 * @param files
 *   number of all files
 */
private[command] final case class LookupSample(drawn: IndexedSeq[DataFile], rate: Double, files: Int) {

  /**
   * Reads the drawn rows of some columns, in one job.
   *
   * @param columns
   *   each with its ranges in all files
   * @return
   *   per column; None without a value
   */
  def shares(
      session: SparkSession,
      snapshot: TableSnapshot,
      columns: IndexedSeq[(ZOrderColumn, FileRanges)]): IndexedSeq[Option[ReadShare]] =
    if (drawn.isEmpty || columns.isEmpty) columns.map(_ => None)
    else {
      val data = SparkInternals.plan(snapshot.read(drawn))
      val rows = if (rate < 1) Sample(0.0, rate, withReplacement = false, LookupSample.Seed, data) else data
      val sums = SparkInternals.dataFrame(session, sumsByFile(rows, data.output, columns)).collect()
      columns.indices.map(i => ReadShare.estimate(sums.toSeq.map(LookupSample.sums(_, i)), drawn.size, files, rate))
    }

  /** Of each file the sums of each column; one row of all files where all are read, as no file then stands for others. */
  private def sumsByFile(
      rows: LogicalPlan,
      output: Seq[Attribute],
      columns: Seq[(ZOrderColumn, FileRanges)]): LogicalPlan = {
    val depths = columns.map { case (column, ranges) =>
      val depth = FileDepth(column.path.in(output), column.keyType, DepthTable.of(ranges, column.keyType))
      Alias(Cast(depth, DoubleType), "depth")()
    }
    val file = if (drawn.size < files) Some(Alias(InputFileName(), "file")()) else None
    def sum(of: Expression) = Alias(Sum(of).toAggregateExpression(), "sum")()
    val sums = depths.map(_.toAttribute).flatMap { depth =>
      Seq(Alias(Count(depth).toAggregateExpression(), "rows")(), sum(depth), sum(Multiply(depth, depth)))
    }
    Aggregate(file.map(_.toAttribute).toSeq, sums, Project(file.toSeq ++ depths, rows))
  }
}

private[command] object LookupSample {

  /** The most files that are opened. A file costs some milliseconds, however few rows are taken of it. */
  val MostFiles = 1000

  /** The fewest files that are opened, where there are so many: the standard error is computed from them. */
  val FewestFiles = 30

  /** Rows that are decoded for each that is looked up, at most, where that leaves [[FewestFiles]]. */
  val RowsReadPerLookup = 100

  private val Seed = 1L

  // Of files without a count of rows; it decides how many are drawn, and not what they say.
  private val BytesPerRow = 64.0

  /** Every row. */
  def all(files: IndexedSeq[DataFile]): LookupSample = LookupSample(files, 1.0, files.size)

  /** About `limit` rows, the same ones each time; every row of a table that has no more. */
  def of(files: IndexedSeq[DataFile], limit: Long): LookupSample = {
    val rows = expectedRows(files)
    if (rows <= limit) all(files)
    else {
      val affordable = limit.toDouble * RowsReadPerLookup / (rows / files.size)
      val count = math.min(MostFiles.toDouble, math.max(FewestFiles.toDouble, affordable)).toInt
      val drawn = if (count >= files.size) files else new Random(Seed).shuffle(files).take(count)
      LookupSample(drawn, math.min(1.0, limit / (rows / files.size * drawn.size)), files.size)
    }
  }

  private def expectedRows(files: IndexedSeq[DataFile]): Double = {
    val (known, unknown) = files.partition(_.rows.isDefined)
    val knownRows = known.flatMap(_.rows).sum.toDouble
    val perRow = if (knownRows > 0) known.map(_.bytes).sum / knownRows else BytesPerRow
    knownRows + unknown.map(_.bytes).sum / math.max(1.0, perRow)
  }

  private def sums(row: Row, column: Int): DepthSums = {
    val i = column * 3
    if (row.getLong(i) == 0) DepthSums.none else DepthSums(row.getLong(i), row.getDouble(i + 1), row.getDouble(i + 2))
  }
}
