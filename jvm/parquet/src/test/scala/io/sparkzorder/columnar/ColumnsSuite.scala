// SPDX-License-Identifier: Apache-2.0
package io.sparkzorder.columnar

import scala.util.Random

import io.sparkzorder.{LongTest, LongTestsInTurn}
import io.sparkzorder.TestRing

import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized._
import org.apache.spark.unsafe.types.UTF8String

/** Rows of blocks, read as columns, are those of the batches that the blocks were written from. */
class ColumnsSuite extends LongTestsInTurn {
  import RandomBatches.{blocks, Header}

  private def random(seed: Int, longest: Int): Unit = {
    val chance = new Random(seed)
    val types = Seq.fill(1 + chance.nextInt(70))(RandomBatches.types(chance.nextInt(RandomBatches.types.length)))
    val project = UnsafeProjection.create(types.toArray)
    val writer = new BlockWriter(types.toArray, Header)
    // One writer for all batches: nothing of one may be seen in the next.
    val written = (0 to 3).map { _ =>
      val batch = RandomBatches.batch(types, 1 + chance.nextInt(300), longest, chance)
      val keys = Array.fill(batch.numRows)(chance.nextLong() >>> 1)
      val rows = chance.shuffle((0 until batch.numRows).toVector).take(1 + chance.nextInt(batch.numRows)).toArray
      writer.set(batch)
      val found = blocks(writer, keys, rows, 0)
      val expected = rows.toSeq.map(i => (keys(i), project(batch.getRow(i)).copy()))
      batch.close()
      (found, expected)
    }
    val columns = Columns.of(types.toArray, written.flatMap(_._1)).get
    val expected = written.flatMap(_._2)
    assert(columns.rows === expected.size)
    val row = new ColumnsRow(columns, 0)
    val toUnsafe = UnsafeProjection.create(types.toArray)
    for (((key, expectedRow), i) <- expected.zipWithIndex) {
      row.index = i
      assert(columns.keys(i) === key)
      assert(toUnsafe(row) === expectedRow, s"seed $seed, row $i of $types")
      assert(toUnsafe(row.copy()) === expectedRow)
      assert(types.indices.forall(c => row.isNullAt(c) === expectedRow.isNullAt(c)))
      assert(row.toSeq(types).zip(expectedRow.toSeq(types)).forall {
        case (a: Array[Byte], b: Array[Byte]) => a.toSeq == b.toSeq
        case (a, b) => a == b || a.toString == b.toString
      })
    }
  }

  test("columns of all types, plain, by dictionaries, constant, NULL, on and off the heap", LongTest) {
    for (seed <- 1 to TestRing.cases(short = 60, long = 200)) random(seed, longest = 40)
  }

  test("blocks of long strings are cut, but for one row", LongTest) {
    for (seed <- 1 to TestRing.cases(short = 2, long = 4)) random(seed, longest = 100000)
    val vector = new OnHeapColumnVector(3, StringType)
    for (i <- 0 until 3) vector.putByteArray(i, Array.fill(if (i == 1) 20 << 20 else 3)(i.toByte))
    val writer = new BlockWriter(Array(StringType), Header)
    writer.set(new ColumnarBatch(Array(vector), 3))
    val rows = Array(0, 1, 2)
    assert(writer.write(rows.map(_.toLong), rows, 0, 3) === -1)
    val found = blocks(writer, rows.map(_.toLong), rows, 0)
    assert(found.map(BlockReader.rowsOf) === Seq(1, 1, 1))
    val columns = Columns.of(Array(StringType), found.toIndexedSeq).get
    assert((0 to 2).map(new ColumnsRow(columns, _).getBinary(0).length) === Seq(3, 20 << 20, 3))
  }

  /** A vector of decimals as another reader may have it: they are not stored as numbers of at most eight bytes. */
  private class WideDecimals(of: DecimalType) extends ColumnVector(of) {
    override def close(): Unit = ()
    override def hasNull: Boolean = false
    override def numNulls: Int = 0
    override def isNullAt(i: Int): Boolean = false
    override def getDecimal(i: Int, precision: Int, scale: Int): Decimal = Decimal(i.toLong, precision, scale)
    override def getBoolean(i: Int): Boolean = wrong
    override def getByte(i: Int): Byte = wrong
    override def getShort(i: Int): Short = wrong
    override def getInt(i: Int): Int = wrong
    override def getLong(i: Int): Long = wrong
    override def getFloat(i: Int): Float = wrong
    override def getDouble(i: Int): Double = wrong
    override def getArray(i: Int): ColumnarArray = wrong
    override def getMap(i: Int): ColumnarMap = wrong
    override def getUTF8String(i: Int): UTF8String = wrong
    override def getBinary(i: Int): Array[Byte] = wrong
    override def getChild(i: Int): ColumnVector = wrong
    private def wrong: Nothing = throw new IllegalStateException("of a decimal")
  }

  test("decimals of vectors that are not Spark's are asked for as decimals") {
    val types = Seq(DecimalType(9, 2), DecimalType(18, 3))
    val batch = new ColumnarBatch(types.map(new WideDecimals(_)).toArray[ColumnVector], 5)
    val writer = new BlockWriter(types.toArray, 0)
    writer.set(batch)
    val end = writer.write(new Array[Long](5), Array(3, 1, 4), 0, 3)
    val columns = Columns.of(types.toArray, IndexedSeq(writer.bytes.take(end))).get
    for ((i, n) <- Seq(3, 1, 4).zipWithIndex; (t, c) <- types.zipWithIndex) {
      val expected = Decimal(i.toLong, t.precision, t.scale)
      assert(new ColumnsRow(columns, n).getDecimal(c, t.precision, t.scale) === expected)
    }
  }

  test("other types are left to Spark") {
    for (other <- Seq(DecimalType(19, 2), ArrayType(IntegerType), new StructType().add("x", LongType), VariantType))
      assert(!PlainTypes.contain(other))
    RandomBatches.types.foreach(t => assert(PlainTypes.contain(t), t))
  }

  test("no block, and no column") {
    assert(Columns.of(Array(LongType, StringType), IndexedSeq.empty).get.rows === 0)
    val writer = new BlockWriter(Array.empty, Header)
    writer.set(new ColumnarBatch(Array.empty, 2))
    val end = writer.write(Array(5L, 6L), Array(1), 0, 1)
    assert(Columns.of(Array.empty, IndexedSeq(writer.bytes.slice(Header, end))).get.keys.toSeq === Seq(6L))
  }
}
