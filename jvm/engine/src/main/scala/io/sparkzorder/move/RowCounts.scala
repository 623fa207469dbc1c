// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.column.ColumnPath
import io.sparkzorder.errors.ZOrderErrors

import org.apache.spark.sql.{Column, DataFrame, Row}
import org.apache.spark.sql.functions.{coalesce, col, count, lit, sum}

/**
 * Compares the rows of a rewrite before and after, counted by reading them. Of those after it the numbers may be known: then
 * they are in a last column [[RowCounts.Rows]].
 *
 * A writer knows partitions by texts, of which two values can have one (an hour when clocks are set back): rows can change
 * their partition though none is lost.
 *
 * @param table
 *   name of the table, for messages
 */
final class RowCounts(table: String, partitionColumns: Seq[String]) {

  /** @throws ZOrderRuntimeException unless each partition has as many rows as it had */
  def requireSame(before: DataFrame, after: DataFrame): Unit = {
    val (read, wrote) = (of(before, count(lit(1))), of(after, numberOf(after)))
    if (read.values.sum != wrote.values.sum)
      throw ZOrderErrors.rowCountMismatch(table, read.values.sum, wrote.values.sum)
    (read.keySet ++ wrote.keySet).find(p => read.get(p) != wrote.get(p)).foreach { p =>
      val name = partitionColumns.zip(p).map { case (column, value) => s"$column = $value" }.mkString(", ")
      throw ZOrderErrors.partitionMismatch(table, name, read.getOrElse(p, 0L), wrote.getOrElse(p, 0L))
    }
  }

  /** A table may have a column of this name, but it has others besides. */
  private def numberOf(rows: DataFrame): Column = {
    val areNumbers =
      rows.columns.lastOption.contains(RowCounts.Rows) && rows.columns.length <= partitionColumns.size + 2
    if (areNumbers) coalesce(sum(col(RowCounts.Rows)), lit(0L)) else count(lit(1))
  }

  private def of(rows: DataFrame, number: Column): Map[Seq[Any], Long] = {
    val columns = partitionColumns.map(name => rows.col(ColumnPath(Seq(name)).toString))
    rows.groupBy(columns: _*).agg(number).collect().toSeq.groupMapReduce(partition)(_.getLong(columns.size))(_ + _)
  }

  /** A writer makes NULL of an empty string. NaN is one value, and so are equal bytes. */
  private def partition(row: Row): Seq[Any] = row.toSeq.init.map {
    case "" => null
    case number @ (_: Float | _: Double) => number.toString
    case bytes: Array[Byte] => bytes.toSeq
    case value => value
  }
}

object RowCounts {

  /** The column that has a number of rows where a row stands for several. */
  val Rows = "_zorder_rows"
}
