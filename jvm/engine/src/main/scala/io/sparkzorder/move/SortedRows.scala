// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.{Columns, ColumnsRow}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StructField, StructType}

/**
 * Sorts the rows of blocks by their sections and keys with Spark's own sorter, in memory or on the disk.
 *
 * @param isPacked
 *   whether there may be several sections
 * @param tie
 *   as of [[SortedBlocks]]
 */
private[move] final class SortedRows(types: Array[DataType], isPacked: Boolean, tie: Option[Int]) {

  private val schema = StructType(
    (types :+ IntegerType :+ LongType).zipWithIndex.map { case (t, i) => StructField(s"_$i", t) }.toSeq)
  private val attributes = schema.map(f => AttributeReference(f.name, f.dataType)())
  private val (section, key) = (types.length, types.length + 1)

  def sort(blocks: Iterator[SortedBlocks.Block]): Iterator[InternalRow] = {
    val by =
      (Seq(section, key) ++ tie).map(i => SortOrder(BoundReference(i, schema(i).dataType, nullable = true), Ascending))
    val sorter =
      if (isPacked)
        TaskSort.byNumber(schema, _.getInt(section).toLong, radix = false, Some(RowOrdering.create(by, Nil)))
      else TaskSort.byNumber(schema, _.getLong(key), radix = true, tie.map(_ => RowOrdering.create(by, Nil)))
    TrailingColumns.drop(sorter.sort(blocks.flatMap(rowsOf)), types.length, attributes)
  }

  private lazy val toUnsafe = UnsafeProjection.create(schema)
  private val numbers = new SpecificInternalRow(Seq(IntegerType, LongType))
  private val both = new JoinedRow

  private def rowsOf(block: SortedBlocks.Block): Iterator[UnsafeRow] = {
    val columns = Columns.of(types, IndexedSeq(block.bytes)).get
    val row = new ColumnsRow(columns, 0)
    Iterator.range(0, columns.rows).map { i =>
      row.index = i
      numbers.setInt(0, block.section)
      numbers.setLong(1, columns.keys(i))
      toUnsafe(both(row, numbers))
    }
  }
}
