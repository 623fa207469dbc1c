// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.write

import java.util.function.ToLongFunction

import io.sparkzorder.column.LongKeyType
import io.sparkzorder.layout.PageSplits
import io.sparkzorder.move.TaskSort

import org.apache.parquet.hadoop.ParquetOutputFormat

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

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
    val prefix = new PageAndPosition(keys.pages, position)
    TaskSort.byNumber(DataTypeUtils.fromAttributes(by.output), prefix, radix)
      .sort(held.rows.asInstanceOf[Iterator[UnsafeRow]])
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
      extends ToLongFunction[InternalRow] {

    private val pageOf = pages.filter(p => p.nonEmpty && p.max > 0).orNull
    private var row = 0

    override def applyAsLong(input: InternalRow): Long = {
      val onCurve = position(input).getLong(0)
      if (pageOf == null) onCurve
      else {
        val page = pageOf(row).toLong
        row += 1
        (page << PositionBits) | (onCurve >>> (63 - PositionBits))
      }
    }
  }
}

/**
 * The keys of all rows of a task, column by column, as far as they are longs and not too many to be held.
 *
 * @param pageRows
 *   number of rows of a page, as Parquet's writer cuts them
 */
private[write] final class KeyColumns(by: RankedColumns, pageRows: Int) {
  import KeyColumns._

  private val keysOf = by.keyProjection
  private val axes = by.axes.size
  private val most = MostKeys / axes
  private var areLongs = by.keyTypes.forall(_.isInstanceOf[LongKeyType])
  private val columns = Array.fill(axes)(new Array[Long](if (areLongs) FirstRows else 0))
  private var rows = 0

  def add(row: UnsafeRow): Unit = if (areLongs) {
    if (rows == columns(0).length) grow()
    if (areLongs) {
      val keys = keysOf(row)
      var axis = 0
      while (axis < axes) {
        // NULL is below every value.
        columns(axis)(rows) = if (keys.isNullAt(axis)) Long.MinValue else keys.getLong(axis)
        axis += 1
      }
      rows += 1
    }
  }

  /** Per row the number of its page; None where the keys are not known. */
  def pages: Option[Array[Int]] =
    if (areLongs) Some(PageSplits.of(columns.toIndexedSeq, rows, pageRows)) else None

  private def grow(): Unit =
    if (rows >= most) {
      areLongs = false
      columns.indices.foreach(columns(_) = Array.emptyLongArray)
    } else
      columns.indices.foreach(i => columns(i) = java.util.Arrays.copyOf(columns(i), math.min(most, 2 * rows)))
}

private object KeyColumns {

  private val FirstRows = 1024

  // 64 MB of a task's heap.
  private val MostKeys = 8 << 20
}
