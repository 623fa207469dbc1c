// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.vectorized.{OnHeapColumnVector, WritableColumnVector}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

object ColumnsOfRows {

  /** The same rows in the same order, as rows of one [[Columns]] in which they lie in another order. */
  def apply(schema: StructType, rows: IndexedSeq[UnsafeRow], chance: Random): IndexedSeq[ColumnsRow] = {
    val types = schema.map(_.dataType).toArray
    val order = chance.shuffle(rows.indices.toVector)
    val writer = new BlockWriter(types, RandomBatches.Header)
    val blocks = order.grouped(1 + chance.nextInt(2000)).map { part =>
      val vectors = types.map(new OnHeapColumnVector(part.size, _))
      for ((row, i) <- part.zipWithIndex; c <- types.indices) put(vectors(c), i, rows(row), c)
      writer.set(new ColumnarBatch(vectors.toArray[ColumnVector], part.size))
      RandomBatches.blocks(writer, new Array[Long](part.size), part.indices.toArray, 0)
    }.toVector.flatten
    val columns = Columns.of(types, blocks).get
    val indices = new Array[Int](rows.size)
    order.indices.foreach(i => indices(order(i)) = i)
    indices.toVector.map(new ColumnsRow(columns, _))
  }

  private def put(vector: WritableColumnVector, i: Int, row: InternalRow, c: Int): Unit =
    if (row.isNullAt(c)) vector.putNull(i)
    else
      vector.dataType match {
        case BooleanType => vector.putBoolean(i, row.getBoolean(c))
        case ByteType => vector.putByte(i, row.getByte(c))
        case ShortType => vector.putShort(i, row.getShort(c))
        case IntegerType | DateType | _: YearMonthIntervalType => vector.putInt(i, row.getInt(c))
        case FloatType => vector.putFloat(i, row.getFloat(c))
        case DoubleType => vector.putDouble(i, row.getDouble(c))
        case d: DecimalType if d.precision <= Decimal.MAX_INT_DIGITS => vector.putInt(i, row.getLong(c).toInt)
        case _: StringType | BinaryType => vector.putByteArray(i, row.getBinary(c))
        case _ => vector.putLong(i, row.getLong(c))
      }
}
