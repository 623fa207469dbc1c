// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import scala.util.Random

import io.sparkzorder.TestRing

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.vectorized._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** Rows of batches have the bytes of Spark's own projection. */
class BatchRowsSuite extends AnyFunSuite {
  import RandomBatches._

  /** Spark's rows of a batch, with two numbers behind the columns. */
  private def expected(batch: ColumnarBatch, columns: Seq[DataType]): IndexedSeq[UnsafeRow] = {
    val input = columns.map(AttributeReference("c", _)())
    val projection = UnsafeProjection.create(input ++ Seq(Literal(-5L), Literal(7)), input)
    (0 until batch.numRows).map(i => projection(batch.getRow(i)).copy())
  }

  private def requireSame(rows: BatchRows, batch: ColumnarBatch, columns: Seq[DataType], seed: Int): Unit = {
    rows.set(batch)
    for ((row, i) <- expected(batch, columns).zipWithIndex) {
      val found = rows(i)
      found.setLong(columns.length, -5L)
      found.setInt(columns.length + 1, 7)
      assert(found === row, s"seed $seed, row $i of $columns")
    }
  }

  private def random(seed: Int, longest: Int): Unit = {
    val chance = new Random(seed)
    val columns = Seq.fill(1 + chance.nextInt(70))(types(chance.nextInt(types.length)))
    val rows = new BatchRows(columns.toArray, 2)
    // One object for all batches: nothing of one may be seen in the next.
    for (_ <- 0 to 2) {
      val batch = RandomBatches.batch(columns, Seq(0, 1, chance.nextInt(300))(chance.nextInt(3)), longest, chance)
      requireSame(rows, batch, columns, seed)
      batch.close()
    }
  }

  test("columns of all types, plain, by dictionaries, constant, NULL, on and off the heap") {
    for (seed <- 1 to TestRing.cases(short = 60, long = 600)) random(seed, longest = 40)
  }

  test("rows of more than the cache holds are written one after the other") {
    for (seed <- 1 to TestRing.cases(short = 3, long = 15)) random(seed, longest = 30000)
    val vector = new OnHeapColumnVector(5, StringType)
    for (i <- 0 until 5) vector.putByteArray(i, Array.fill(if (i == 2) 1 << 20 else 3)(i.toByte))
    val rows = new BatchRows(Array(StringType), 2)
    requireSame(rows, new ColumnarBatch(Array(vector), 5), Seq(StringType), seed = 0)
  }

  test("other types are left to Spark") {
    for (other <- Seq(DecimalType(19, 2), ArrayType(IntegerType), new StructType().add("x", LongType), VariantType))
      assert(!PlainTypes.contain(other))
    types.foreach(t => assert(PlainTypes.contain(t), t))
  }
}
