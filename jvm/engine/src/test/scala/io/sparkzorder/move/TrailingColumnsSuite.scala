// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.move

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

class TrailingColumnsSuite extends AnyFunSuite {

  /** Rows with fewer columns, and the rows of which they are the beginnings. */
  private def dropped(types: Seq[DataType], count: Int, rows: Seq[InternalRow]): (Seq[UnsafeRow], Seq[UnsafeRow]) = {
    val columns = types.map(AttributeReference("c", _)())
    val (whole, part) = (UnsafeProjection.create(types.toArray), UnsafeProjection.create(types.take(count).toArray))
    val found = TrailingColumns.drop(rows.iterator.map(whole(_).copy()), count, columns)
    (found.map(_.asInstanceOf[UnsafeRow].copy()).toSeq, rows.map(part(_).copy()))
  }

  private def sameValues(types: Seq[DataType], found: UnsafeRow, expected: UnsafeRow): Boolean =
    found.numFields == expected.numFields &&
      types.indices.forall(i => found.get(i, types(i)) == expected.get(i, types(i)))

  test("rows without their last column, NULLs and strings among them, are over the bytes of the whole row") {
    val types = Seq[DataType](LongType, StringType, LongType)
    val rows = (0 until 100).map { i =>
      InternalRow(i.toLong, if (i % 3 == 0) null else UTF8String.fromString(s"é$i"), -i.toLong)
    }
    val (found, expected) = dropped(types, 2, rows)
    assert(found.zip(expected).forall { case (f, e) => sameValues(types.take(2), f, e) })
    val row = UnsafeProjection.create(types.toArray).apply(rows.head)
    val view = TrailingColumns.drop(Iterator(row), 2, types.map(AttributeReference("c", _)())).next()
    assert(view.asInstanceOf[UnsafeRow].getBaseObject eq row.getBaseObject)
  }

  test("64 columns and one more have another bitmap of NULLs: then rows are copied") {
    for (columns <- Seq(63, 64, 65)) {
      val types = Seq.fill(columns + 1)(LongType)
      val rows =
        (0 until 20).map(n => InternalRow.fromSeq(types.indices.map(i => if (i % 5 == 0) null else n.toLong * i)))
      val (found, expected) = dropped(types, columns, rows)
      assert(found.zip(expected).forall { case (f, e) => sameValues(types.take(columns), f, e) }, columns)
    }
  }

  test("all columns are the rows themselves") {
    val row = UnsafeProjection.create(Array[DataType](LongType)).apply(InternalRow(1L))
    assert(TrailingColumns.drop(Iterator(row), 1, Seq(AttributeReference("c", LongType)())).next() eq row)
  }
}
