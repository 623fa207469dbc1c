// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import io.sparkzorder.columnar.{Columns, ColumnsRow}

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Sorts the rows of blocks by their keys with Spark's own sorter, in memory or on the disk. */
private[move] final class SortedRows(types: Array[DataType]) {

  private val schema = StructType((types :+ LongType).zipWithIndex.map { case (t, i) => StructField(s"_$i", t) }.toSeq)
  private val attributes = schema.map(f => AttributeReference(f.name, f.dataType)())
  private val key = types.length

  def sort(blocks: Iterator[Array[Byte]]): Iterator[InternalRow] = {
    val order = Seq(SortOrder(BoundReference(key, LongType, nullable = false), Ascending))
    val sorter = UnsafeExternalRowSorter.create(
      schema,
      RowOrdering.create(order, Nil),
      PrefixComparators.LONG,
      new UnsafeExternalRowSorter.PrefixComputer {
        private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
        override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
          prefix.value = row.getLong(key)
          prefix.isNull = false
          prefix
        }
      },
      SparkEnv.get.memoryManager.pageSizeBytes,
      true
    )
    DropTrailingColumns.fromRows(sorter.sort(blocks.flatMap(rowsOf)), types.length, attributes)
  }

  private lazy val toUnsafe = UnsafeProjection.create(schema)
  private val keyRow = new SpecificInternalRow(Seq(LongType))
  private val both = new JoinedRow

  private def rowsOf(block: Array[Byte]): Iterator[UnsafeRow] = {
    val columns = Columns.of(types, IndexedSeq(block)).get
    val row = new ColumnsRow(columns, 0)
    Iterator.range(0, columns.rows).map { i =>
      row.index = i
      keyRow.setLong(0, columns.keys(i))
      toUnsafe(both(row, keyRow))
    }
  }
}
