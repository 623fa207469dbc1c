// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write.sort

import org.apache.parquet.hadoop.ParquetOutputFormat

import org.apache.spark.SparkEnv
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode, UnsafeExternalRowSorter}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/**
 * The rows of each task along the z-order curve, by ranks of values among the task's own rows ([[HeldRows]]).
 *
 * Where a task writes several pages, its rows are divided among them first ([[io.sparkzorder.layout.PageSplits]]), so that
 * each page is one cell; within a page they follow the curve. Spark's sorter takes a long beside each row, by which alone it
 * can sort: neither needs a column. Where rows have to be sorted by partitions first, [[RankedRowsExec]] makes a column of
 * the curve position.
 *
 * @param options
 *   those of the write: beside the session's settings they say how many rows a page has
 */
private[write] case class CurveSortExec(axes: Seq[Expression], options: Map[String, String], child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output

  override protected def doExecute(): RDD[InternalRow] = {
    val by = RankedColumns(child.output, axes, Nil)
    val radix = conf.enableRadixSort
    val pageRows = math.max(
      1,
      session.sessionState.newHadoopConfWithOptions(options).getInt(
        ParquetOutputFormat.PAGE_ROW_COUNT_LIMIT,
        CurveSortExec.DefaultPageRows))
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) rows else CurveSortExec.sorted(by, rows, pageRows, radix)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): CurveSortExec = copy(child = newChild)
}

private[write] object CurveSortExec {

  // Parquet's own.
  private val DefaultPageRows = 20000

  private def sorted(
      by: RankedColumns,
      rows: Iterator[InternalRow],
      pageRows: Int,
      radix: Boolean): Iterator[InternalRow] = {
    val keys = new KeyColumns(by, pageRows)
    val held = new HeldRows(by, rows, keys.add)
    val position = UnsafeProjection.create(Seq(held.ranks.position), by.output)
    val sorter = UnsafeExternalRowSorter.create(
      DataTypeUtils.fromAttributes(by.output),
      HeldRows.alike,
      PrefixComparators.LONG,
      new PageAndPosition(keys.pages, position),
      SparkEnv.get.memoryManager.pageSizeBytes,
      radix
    )
    sorter.sort(held.rows.asInstanceOf[Iterator[UnsafeRow]])
  }

  // Bits of a curve position that count within a page; pages of a task are fewer than 2 to the power of the rest.
  private val PositionBits = 40

  /**
   * @param pages
   *   per row, in the order in which rows come, the number of its page
   * @param position
   *   computes a row of one BIGINT
   */
  private final class PageAndPosition(pages: Option[Array[Int]], position: UnsafeProjection)
      extends UnsafeExternalRowSorter.PrefixComputer {

    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    private val pageOf = pages.filter(p => p.nonEmpty && p.max > 0).orNull
    private var row = 0

    override def computePrefix(input: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      val onCurve = position(input).getLong(0)
      if (pageOf == null) prefix.value = onCurve
      else {
        prefix.value = (pageOf(row).toLong << PositionBits) | (onCurve >>> (63 - PositionBits))
        row += 1
      }
      prefix
    }
  }
}
